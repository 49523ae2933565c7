interface Level {
  /** Where its marker stands in the text. */
  readonly indent: number;
  /** How wide its marker is shown. */
  readonly width: number;
}

/** Which lists a line is in. A level is what is indented by two columns or more: models rarely count the width of a marker. */
export interface ListLevels {
  /** A new item begins at this column: it ends its sibling and all below that. Returns the columns before its marker. */
  openItem(indent: number, markerWidth: number): number;
  /** Something else begins at this column; returns the columns before it. */
  place(indent: number): number;
  /** Columns of all levels that are open. */
  hang(): number;
}

export function createListLevels(): ListLevels {
  const levels: Level[] = [];

  function close(indent: number): void {
    for (let last = levels.at(-1); last && indent < last.indent + 2; last = levels.at(-1)) levels.pop();
  }

  function hang(): number {
    return levels.reduce((sum, { width }) => sum + width, 0);
  }

  return {
    openItem(indent, markerWidth) {
      close(indent);
      const before = hang();
      levels.push({ indent, width: markerWidth });
      return before;
    },
    place(indent) {
      close(indent);
      return hang();
    },
    hang,
  };
}
