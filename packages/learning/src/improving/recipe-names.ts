/** @file What can be improved without an agent of one's own, by name. */

export const improveRecipeNames = ['instruction-demo', 'keeper-demo', 'defender-demo', 'together-demo'] as const;
