/** @file The built-in scenes by name. */

import type { SocialScene } from './scene.ts';
import { borrowedBook } from './scenes/borrowed-book.ts';
import { dinner } from './scenes/dinner.ts';
import { marketStall } from './scenes/market-stall.ts';
import { oldHouse } from './scenes/old-house.ts';
import { shopDispute } from './scenes/shop-dispute.ts';

export const scenes: Readonly<Record<string, SocialScene>> = {
  'borrowed-book': borrowedBook,
  'market-stall': marketStall,
  dinner,
  'shop-dispute': shopDispute,
  'old-house': oldHouse,
};
