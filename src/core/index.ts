/** @file The door of core: types and pure functions that every room shares. */

export * from './agent.ts';
export * from './audit.ts';
export * from './environment.ts';
export * from './event.ts';
export * from './facts.ts';
export * from './fault.ts';
export * from './game.ts';
export * from './improver.ts';
export * from './jobs.ts';
export * from './json.ts';
export * from './kind.ts';
export * from './leaks.ts';
export * from './model.ts';
export * from './moves.ts';
export * from './plan.ts';
export * from './printable.ts';
export * from './rng.ts';
export * from './scorer.ts';
export * from './sha256.ts';
export * from './store.ts';
export * from './task.ts';
