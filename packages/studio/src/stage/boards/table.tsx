/** @file A poker table: the pot in the middle, a card before each seat; what is not known lies face down. */

import type { Picture } from '@ludus-agents/servers/internal/studio/api';

export function Table({ picture: { pot, hands, board, note } }: { readonly picture: Extract<Picture, { kind: 'table' }> }) {
  return (
    <div className="felt">
      {hands.map(({ seat, card, paid }) => (
        <div key={seat} className="hand">
          <Card key={`${note} ${card}`} card={card} of={seat} />
          <span>
            <strong>{seat}</strong>
            <br />
            <span className="small">has paid {paid}</span>
          </span>
        </div>
      ))}
      <div className="pot">
        {board.map((card, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a board has its places, and nothing moves between them.
          <Card key={`${i} ${card}`} card={card} of="the table" />
        ))}
        <span className="chips">pot {pot}</span>
        <span className="small">{note}</span>
      </div>
    </div>
  );
}

function Card({ card, of }: { readonly card: string | null; readonly of: string }) {
  if (card === null) return <span className="playing-card back" role="img" aria-label={`A hidden card of ${of}`} />;
  return (
    <span className={`playing-card ${card.includes('♥') ? 'red' : ''}`} role="img" aria-label={`${of}: ${card}`}>
      {card}
    </span>
  );
}
