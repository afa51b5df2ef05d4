/** @file Somebody's picture from the card that brought it, else the face that their name gives. */

import type { PersonaCard } from '@ludus-agents/servers/internal/studio/api';
import { address } from '../client.ts';
import { Avatar } from './avatar.tsx';

interface PortraitProps {
  readonly of: Pick<PersonaCard, 'source' | 'key' | 'name' | 'portrait'>;
  readonly size?: 'small' | 'usual' | 'large';
}

export function Portrait({ of, size = 'usual' }: PortraitProps) {
  if (of.source !== 'own' || !of.portrait) return <Avatar name={of.name} size={size} />;
  return <img className={`avatar ${size}`} src={address('/api/personas/own/:key/portrait', { param: { key: of.key } })} alt="" />;
}
