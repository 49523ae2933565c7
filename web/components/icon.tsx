/** Drawn on a grid of 16; lines, so that they take the colour of the text beside them. */
const paths = {
  now: "M2 8h3l2-5 3 10 2-5h2",
  tasks: "M2.500 4.500l1.500 1.500 2.500-3M2.500 11l1.500 1.500 2.500-3M9 4.500h5M9 11h5",
  rollouts: "M2 13l4-4 3 2.500 5-7M10.500 4.500h3.500v3.500",
  schedule: "M8 14a6 6 0 100-12 6 6 0 000 12zM8 4.500V8l2.500 2",
  inbox: "M2 9l2-6h8l2 6v4H2zM2 9h3.500l1 2h3l1-2H14",
  log: "M3 3h10M3 6.300h10M3 9.700h7M3 13h5",
  tools:
    "M9.500 6.500L3 13M13.500 4.500l-2 2-2-.500-.500-2 2-2a3.500 3.500 0 00-4.500 4.500M6.500 7L2.500 11a1.400 1.400 0 002 2.500L9 9.500a3.500 3.500 0 004.500-5",
  check: "M3 8.500l3.500 3.500L13 4.500",
  cross: "M4 4l8 8M12 4l-8 8",
  stop: "M4.500 4.500h7v7h-7z",
  clock: "M8 14a6 6 0 100-12 6 6 0 000 12zM8 5v3.200l2 1.600",
  timer: "M8 14.500a5.500 5.500 0 100-11 5.500 5.500 0 000 11zM6.500 1.500h3M8 6v3",
  spin: "M8 2a6 6 0 106 6",
  dot: "M8 8h.010",
  minus: "M3.500 8h9",
  plus: "M8 3.500v9M3.500 8h9",
  question: "M5.800 6a2.200 2.200 0 114 1.300c-.800.700-1.800 1-1.800 2.200M8 12.500h.010",
  warning: "M8 2.500l6 11H2zM8 6.500v3M8 11.500h.010",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  left: "M10 4L6 8l4 4",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  search: "M7 12A5 5 0 107 2a5 5 0 000 10zM10.700 10.700L14 14",
  sun: "M8 11a3 3 0 100-6 3 3 0 000 6zM8 1.500v1M8 13.500v1M1.500 8h1M13.500 8h1M3.400 3.400l.700.700M11.900 11.900l.700.700M12.600 3.400l-.700.700M4.100 11.900l-.700.700",
  moon: "M13.500 9.500A6 6 0 016.500 2.500a6 6 0 107 7z",
  system: "M2 3h12v8H2zM6 14h4M8 11v3",
  play: "M5 3.500l7.500 4.500L5 12.500z",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  shield: "M8 1.800l5 1.700v4c0 3.300-2.100 5.600-5 6.700-2.900-1.100-5-3.400-5-6.700v-4z",
  out: "M6 2.500H3v11h3M7 8h7M11.500 5.500L14 8l-2.500 2.500",
} as const;

export type IconName = keyof typeof paths;

/** Beside a word, or in something that has a label: it says nothing by itself. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
