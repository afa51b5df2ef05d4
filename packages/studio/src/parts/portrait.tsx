/** @file The portrait from a character's card, or a face generated from the name. */

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
