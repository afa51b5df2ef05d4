/** @file What `list` lists besides the entries of every kind. */

export const otherLists = ['kinds', 'sandboxes', 'runs', 'episodes'] as const;
