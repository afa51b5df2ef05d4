/** @file The parts of a report card, and the control characters of known quality, by name. */

/** The topics of probes; each is a part of the report card. */
export const probeSections = ['knowledge', 'passage', 'traits', 'moral', 'secrets', 'drift'] as const;

export type ProbeSection = (typeof probeSections)[number];

export const controlCharacters = ['plays', 'ignores', 'refuses', 'leaks'] as const;

export type ControlCharacter = (typeof controlCharacters)[number];
