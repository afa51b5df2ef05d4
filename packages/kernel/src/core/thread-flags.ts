/** @file Node's flags for the threads and processes that we start. */

/** Node 22 warns in each of them that its SQLite is experimental; `bin/ludus.js` hides the warning only in the first process. */
export const threadFlags: string[] = ['--disable-warning=ExperimentalWarning'];
