/** @file A face: the picture of the card where there is one, else initials on a colour that the name always gets. */

import { colourOf } from '../colours.ts';

interface AvatarProps {
  readonly name: string;
  /** A picture as a data: address or from this server; anything else is not shown. */
  readonly picture?: string | undefined;
  readonly size?: 'small' | 'usual' | 'large';
  /** Which of the eight colours, from 1; that of the name on every page unless set. */
  readonly hue?: number;
}

export function Avatar({ name, picture, size = 'usual', hue = colourOf(name) }: AvatarProps) {
  const source =
    picture !== undefined && /^(data:image\/(png|jpeg|webp|gif);base64,|\/api\/personas\/own\/)/.test(picture) ? picture : undefined;
  if (source !== undefined) return <img className={`avatar ${size}`} src={source} alt="" />;
  return (
    <span className={`avatar ${size} face-${hue}`} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const letters = words.length > 1 ? [words[0], words.at(-1)].map((word) => [...(word as string)][0]) : [...(words[0] ?? '?')].slice(0, 2);
  return letters.join('').toUpperCase();
}
