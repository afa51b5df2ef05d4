import { describe, expect, it } from 'vitest';
import { languageOf } from './language.ts';

describe('the language of a text', () => {
  it.each([
    ['Your booking has been cancelled, and the money is on its way to you.', 'English'],
    ['Ihre Buchung ist storniert, und wir haben das Geld an Sie überwiesen.', 'German'],
    ['Votre réservation est annulée, nous vous remercions de votre patience.', 'French'],
    ['Su reserva está cancelada y el dinero ya está en camino, no se preocupe.', 'Spanish'],
    ['Ваш заказ отменён, деньги вернутся на карту.', 'Cyrillic script'],
  ])('is recognized: %s', (text, language) => {
    expect(languageOf(text)).toBe(language);
  });

  it.each(['A-101', 'Café Zürich, Bahnhofstrasse 4', 'Maria Lindqvist', 'OK', 'Piranesi, Austerlitz, Dune'])(
    'is not guessed from: %s',
    (text) => {
      expect(languageOf(text)).toBeNull();
    },
  );
});
