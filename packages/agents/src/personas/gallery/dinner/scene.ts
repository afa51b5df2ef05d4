/**
 * @file Five at a table: a dinner at which everyone knows something about someone else.
 *
 * The house is to be sold. Beatrix knows to whom, Tomas cannot pay, Ines knows who is ill, Mr Pell heard the telephone, Noor is not who she
 * says. Each secret belongs to one seat and would hurt another.
 */

export const dinnerScene = 'A dinner for five in the garden room of Hollow House, on the evening the roof began to leak.';
