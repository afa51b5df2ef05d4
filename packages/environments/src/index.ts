/** @file The public entry point. Built-in environments with scripts and exact solvers: games, grids, puzzles, conversations, and work. */

export { boardImage } from './picture/board.ts';
export { solve } from './solve/index.ts';
