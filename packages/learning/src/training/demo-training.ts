/** @file The first training that a new user watches in the studio. */

/** The name of the run. */
export const lessonName = 'first-lesson';
