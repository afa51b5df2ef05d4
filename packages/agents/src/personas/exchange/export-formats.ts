/** @file The export formats of a persona. */

export const exportFormats = ['persona', 'card-v1', 'card-v2', 'card-v3', 'png', 'charx', 'tinytroupe', 'sotopia', 'eliza'] as const;
export type ExportFormat = (typeof exportFormats)[number];
