/** @file The recipes that can be improved without the user's own agent, by name. */

export const improveRecipeNames = ['instruction-demo', 'keeper-demo', 'defender-demo', 'together-demo'] as const;
