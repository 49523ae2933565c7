/**
 * Called for a button that is about to disappear. If it has the focus, somebody pressed it, and would be nowhere once it is
 * gone: the focus goes to what took its place, to its like on the next card, or to the heading above it.
 */
export function handOnFocus(leaving: HTMLElement): void {
  if (document.activeElement !== leaving) return;
  const { parentElement: parent } = leaving;
  const index = parent === null ? -1 : [...parent.children].indexOf(leaving);
  const others = findAlike(leaving);
  const headings = findHeadings(leaving);
  afterEffects(() => {
    // Somebody has moved on, or what came instead has taken it.
    if (document.activeElement !== document.body) return;
    const replacement = parent?.isConnected ? parent.children[index] : undefined;
    const next =
      replacement instanceof HTMLButtonElement
        ? replacement
        : [...others, ...headings].find((each) => each.isConnected);
    // A heading takes the focus from scripts only.
    if (next !== undefined && headings.includes(next)) next.tabIndex = -1;
    next?.focus({ preventScroll: true });
  });
}

/** Buttons of its kind in the same part of the page: those behind it, then those before it, the nearest first. */
function findAlike(leaving: HTMLElement): HTMLElement[] {
  const part = leaving.closest("section");
  const alike = [...(part?.querySelectorAll("button") ?? [])].filter(
    ({ className }) => className === leaving.className,
  );
  const at = alike.findIndex((each) => each === leaving);
  return [...alike.slice(at + 1), ...alike.slice(0, at).reverse()];
}

/** Of the parts it is in, the innermost first. */
function findHeadings(leaving: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let part = leaving.parentElement; part !== null; part = part.parentElement) {
    const heading = part.matches("section, article, .page") ? part.querySelector("h1, h2") : null;
    if (heading instanceof HTMLElement) found.push(heading);
  }
  return found;
}

/** What is rendered now may take the focus in an effect, which comes after the next frame. */
function afterEffects(work: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(work)));
}
