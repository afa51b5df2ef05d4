/** @file Entries of `list` beyond those of every kind. */

export const otherLists = ['kinds', 'sandboxes', 'runs', 'episodes'] as const;
