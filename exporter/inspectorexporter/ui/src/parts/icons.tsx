// Drawn on a grid of 16 with lines of one weight.
const paths = {
  logo: 'M2 4.5h7M4.5 8H14M3.5 11.5H9',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.8 10.8 14 14',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z',
  check: 'm3 8.5 3.2 3.2L13 5',
  download: 'M8 2.5v7M5 7l3 3 3-3M3 13h10',
  open: 'M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5',
  caret: 'm6 4 4 4-4 4',
  running: 'M5.5 3.8v8.4L12 8z',
  idle: 'M4.5 5h6L4.5 11h6',
  waiting: 'M6 4v8M10 4v8',
  stalled: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1',
  failed: 'm4.5 4.5 7 7M11.5 4.5l-7 7',
  done: 'm3.5 8.5 3 3 6-7',
  bell: 'M4 11V7.5a4 4 0 0 1 8 0V11l1 1H3zM6.8 13.5h2.4',
  quiet: 'M4 11V7.5a4 4 0 0 1 8 0V11l1 1H3zM2.5 2.5l11 11',
  sun: 'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8Z',
  system: 'M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3',
  keyboard: 'M1.8 4.5h12.4v7H1.8zM4.2 7h.1M6.7 7h.1M9.2 7h.1M11.7 7h.1M5 9.5h6',
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  fit: 'M2.5 3v10M13.5 3v10M5 8h6M6.5 6 4.5 8l2 2M9.5 6l2 2-2 2',
  joined: 'M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a2.9 2.9 0 0 1 4.1 4.1L11 8.6M9 11.4l-1.3 1.4a2.9 2.9 0 0 1-4.1-4.1L5 7.4',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  )
}
