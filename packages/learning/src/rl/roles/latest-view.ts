/** @file A policy that reads only the latest message, without its seat, so that similar seats share their experience. */

import type { JsonObject, Turn } from '@ludus-agents/kernel/internal/core/index';
import type { RoleRule, RoleTurn } from './role-learner.ts';

export class LatestView implements RoleRule {
  of(turn: Turn): RoleTurn {
    const last = turn.view.seen.findLast((item) => item.kind === 'message');
    const text = last?.kind === 'message' ? last.text : '';
    return { who: 0, tag: 0, turn: { ...turn, view: { ...turn.view, seat: 'any', seen: [{ kind: 'message', to: ['any'], text }] } } };
  }

  whoOf(): number {
    return 0;
  }

  write(): JsonObject {
    return {};
  }

  read(): void {}
}
