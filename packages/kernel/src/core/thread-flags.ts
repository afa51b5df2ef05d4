/** @file Node's flags for the threads and processes that we start. */

/** Node 22 warns in each of them that its SQLite is new; `bin/ludus.js` keeps that from the user in the first process alone. */
export const threadFlags: string[] = ['--disable-warning=ExperimentalWarning'];
