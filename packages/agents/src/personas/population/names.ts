/** @file Names for sampled people, if a specification contains none: common ones from many places, paired at random. */

export const firstNames: Readonly<Record<string, readonly string[]>> = {
  female:
    'Aisha Ana Anna Beatriz Camille Chloe Dalia Elena Emma Fatima Grace Hana Ines Ingrid Jasmine Julia Keiko Lena Lucia Maria Mei Nadia Nora Olga Priya Rosa Ruth Sara Sofia Tamara Yara Zoe'.split(
      ' ',
    ),
  male: 'Adam Ahmed Alejandro Amir Anders Ben Carlos Daniel David Dmitri Emre Felix George Hassan Hugo Ivan Jakob James Kenji Kofi Leo Lukas Marco Mateo Min-jun Noah Omar Pavel Ravi Samuel Tomas Wei'.split(
    ' ',
  ),
  any: 'Alex Andrea Ariel Ash Casey Charlie Dana Eden Jamie Jo Jordan Kai Kim Lee Luca Max Morgan Nico Noor Quinn Robin Sam Sasha Taylor'.split(
    ' ',
  ),
};

export const familyNames: readonly string[] =
  'Abebe Adler Ali Andersen Baker Bauer Becker Bianchi Brown Castillo Chen Costa Demir Diaz Dubois Eriksen Evans Fernandes Fischer Garcia Green Gupta Haddad Hall Hansen Hughes Ibrahim Ito Jensen Jones Kaya Khan Kim Kovacs Kowalski Larsen Lee Lopez Martin Mensah Meyer Moreau Morris Mwangi Nakamura Nguyen Novak Okafor Olsen Park Patel Pereira Petrov Reyes Rossi Santos Sato Schmidt Sharma Silva Singh Smith Sokolov Taylor Torres Tran Vega Walker Wang Weber Wilson Wright Yilmaz Young Zhang'.split(
    ' ',
  );
