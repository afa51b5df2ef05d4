/**
 * @file Worlds as they are drawn: from the state the rules are in, for everyone's eyes or for one seat's. What a seat does not know is
 * never in its picture. One line for each world that has one; the others read as text.
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
  /** What the seat is entitled to know, by the rules; null where everything is seen. */
  readonly knows: Json;
  /** The moves that the seat is offered now; none where it is not asked. */
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

/** Whether a world has pictures at all. */
export function isDrawn(environment: string): boolean {
  return Object.hasOwn(artists, environment.split('@', 1)[0]!);
}

export function pictureOf(environment: string, state: Json, eyes: Eyes): Picture | null {
  const name = environment.split('@', 1)[0]!;
  const draw = Object.hasOwn(artists, name) ? artists[name] : undefined;
  if (draw === undefined || state === null) return null;
  const dressed = state as { readonly surface?: { readonly disguise?: number }; readonly undressed?: Json };
  // A disguise hides the words of the game from the seats; a picture would tell them.
  if (eyes.seat !== null && (dressed.surface?.disguise ?? 0) > 0) return null;
  const plain = (dressed.undressed ?? state) as { readonly task?: object };
  // Environments keep their task in the state; artists read its parameters next to the rest.
  return draw({ ...plain.task, ...plain }, eyes);
}
