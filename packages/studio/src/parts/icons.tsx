/** @file Small drawings in the color of the text: sections of the menu, and what an environment or a recipe is about. */

/** Lines on a grid of 24. */
const paths = {
  Play: 'M8 5v14l11-7z',
  Experiments: 'M9 3h6M10 3v6L5 19a1.5 1.5 0 0 0 1.4 2h11.2a1.5 1.5 0 0 0 1.4-2L14 9V3M7.5 15h9',
  Review: 'M4 5h16v12H9l-5 4zM8.5 11l2.5 2.5 4.5-5',
  Settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  Games: 'M5 7.5 12 5l4.5 12.5-7 2.5zM14 4l6 1-1.8 12.5',
  Puzzles: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.5v2',
  Grids: 'M4 4h16v16H4zM4 9.3h16M4 14.7h16M9.3 4v16M14.7 4v16',
  Conversations: 'M3 5h12v8H8l-3 3v-3H3zM18 9h3v8h-2v3l-3-3H9.5',
  Societies:
    'M12 3.5a2.5 2.5 0 1 0 .01 0zM5 15.5a2.5 2.5 0 1 0 .01 0zM19 15.5a2.5 2.5 0 1 0 .01 0zM10.7 8.2 6.3 15.6M13.3 8.2l4.4 7.4M7.5 18h9',
  'Work with tools': 'M14.5 5.5a4.5 4.5 0 0 0-5 6.3L4 17.3 6.7 20l5.5-5.5a4.5 4.5 0 0 0 6.3-5L15.7 12 12 8.3z',
  Control: 'M4 16a8 8 0 1 1 16 0zM12 16l4-6',
  Laboratory: 'M9 3h6M10 3v6L5 19a1.5 1.5 0 0 0 1.4 2h11.2a1.5 1.5 0 0 0 1.4-2L14 9V3M7.5 15h9',
  'Your environments': 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9L12 16.9 6.8 19.7l1-5.9-4.3-4.1 5.9-.8z',
  Recipe: 'M4 4v16h16M7 8c2 7 6 8 12 8.5',
} as const;

export type IconName = keyof typeof paths;

export function isIcon(name: string): name is IconName {
  return Object.hasOwn(paths, name);
}

export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
