/** @file The training that a newcomer watches in the studio. */

/** The name of the run. */
export const lessonName = 'first-lesson';
