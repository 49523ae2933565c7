export function Brand() {
  return (
    <span class="brand">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
        <rect class="brand-field" width="32" height="32" rx="8" />
        <g class="brand-anchor">
          <circle cx="16" cy="8.400" r="2.600" />
          <path d="M16 11v14.500M11 14.500h10M7 18.500c.6 4.400 4.200 7 9 7s8.400-2.600 9-7" />
        </g>
      </svg>
      Deckhand
    </span>
  );
}
