/** @file What suites are, and the built-in ones. */

export * from './built-in.ts';
export * from './suite.ts';
