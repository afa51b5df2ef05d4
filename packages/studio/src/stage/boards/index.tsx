/** @file The world as it is drawn. Where a person sits and it is their turn, a board can be played on. */

import type { GridPicture, Picture } from '@ludus-agents/servers/internal/studio/api';
import { Grid } from './grid.tsx';
import { PlaceMap } from './map.tsx';
import { Matrix } from './matrix.tsx';
import { Sheet } from './sheet.tsx';
import { Stock } from './stock.tsx';
import { Table } from './table.tsx';

export interface BoardProps {
  readonly picture: Picture;
  readonly before?: Picture | null;
  /** Makes an action as written; not available if no local player has the turn. */
  readonly choose?: (move: string) => void;
}

export function Board({ picture, before = null, choose }: BoardProps) {
  switch (picture.kind) {
    case 'grid':
      return <Grid picture={picture} last={lastOf(picture, before)} choose={choose} />;
    case 'table':
      return <Table picture={picture} />;
    case 'matrix':
      return <Matrix picture={picture} />;
    case 'stock':
      return <Stock picture={picture} />;
    case 'map':
      return <PlaceMap picture={picture} />;
    case 'sheet':
      return <Sheet picture={picture} choose={choose} />;
  }
}

/** The cell that changed since the picture before. */
function lastOf({ cells }: GridPicture, before: Picture | null): number {
  if (before?.kind !== 'grid') return -1;
  return [...cells].findIndex((cell, i) => cell !== before.cells[i]);
}
