/**
 * @file Pictures of environments: drawn from the rules' state, for all viewers or for one seat. Information hidden from a seat is
 * never in its picture. One line for each environment with pictures; the others are shown as text.
 */

import type { Json, Seat } from '@ludus-agents/kernel/internal/core/index';
import type { Picture } from '../api.ts';
import { drawChess, drawKitchen, drawLake, drawMaze, drawMines, drawSkirmish, drawSokoban, drawWalkers, drawWords } from './cells.ts';
import { drawCommons, drawDilemma, drawGrid, drawKuhn, drawLeduc, drawTown } from './games.ts';
import { drawDrones, drawMotor, drawVolleyball } from './numbers.ts';
import { drawQuest } from './quest.ts';
import { drawDebate, drawLesson, drawLists, drawNations, drawQuestions, drawService, drawTalk } from './sheets.ts';

export interface Eyes {
  /** Null sees everything. */
  readonly seat: Seat | null;
  readonly seats: readonly Seat[];
  /** The information that the rules give to the seat; null if everything is visible. */
  readonly knows: Json;
  /** The seat's current legal moves; empty if it is not its turn. */
  readonly choices: readonly string[];
}

/** A state is private to its environment, and a log may be of any age: invalid data throws and is not drawn. */
// biome-ignore lint/suspicious/noExplicitAny: each artist knows the state of its own world.
type Artist = (state: any, eyes: Eyes) => Picture | null;

const artists: Readonly<Record<string, Artist>> = {
  'tic-tac-toe': drawGrid,
  'connect-four': drawGrid,
  kinarow: drawGrid,
  'frozen-lake': drawLake,
  maze: drawMaze,
  minesweeper: drawMines,
  sokoban: drawSokoban,
  chess: drawChess,
  pathfinding: drawWalkers,
  kitchen: drawKitchen,
  skirmish: drawSkirmish,
  motor: drawMotor,
  drones: drawDrones,
  volleyball: drawVolleyball,
  'kuhn-poker': drawKuhn,
  leduc: drawLeduc,
  dilemma: drawDilemma,
  commons: drawCommons,
  wordle: drawWords,
  'guess-my-city': drawQuestions,
  'twenty-questions': drawQuestions,
  tutor: drawLesson,
  support: drawTalk,
  debate: drawDebate,
  nations: drawNations,
  recommender: drawLists,
  shift: drawService,
  'quest-world': drawQuest,
  'idea-quest': drawQuest,
  town: drawTown,
};

/** Whether an environment has pictures at all. */
export function isDrawn(environment: string): boolean {
  return Object.hasOwn(artists, environment.split('@', 1)[0]!);
}

export function pictureOf(environment: string, state: Json, eyes: Eyes): Picture | null {
  const name = environment.split('@', 1)[0]!;
  const draw = Object.hasOwn(artists, name) ? artists[name] : undefined;
  if (draw === undefined || state === null) return null;
  const dressed = state as { readonly surface?: { readonly disguise?: number }; readonly undressed?: Json };
  // A disguise hides the game's vocabulary from the seats; a picture would reveal it.
  if (eyes.seat !== null && (dressed.surface?.disguise ?? 0) > 0) return null;
  const plain = (dressed.undressed ?? state) as { readonly task?: object };
  // Environments store their task in the state; artists read its parameters together with the rest.
  return draw({ ...plain.task, ...plain }, eyes);
}
