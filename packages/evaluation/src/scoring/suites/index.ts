/** @file The definition of suites, and the built-in ones. */

export * from './built-in.ts';
export * from './suite.ts';
