/** @file The door of the Tinker client. */

export { Tinker } from './learner.ts';
