/** @file Cities for twenty questions, with the attributes that are true of each, in original wording. No two have the same attributes. */

/** Attributes by id: the question, then other wordings of it, without the opening words. */
export const cityQuestions: Readonly<Record<string, readonly [string, ...string[]]>> = {
  europe: ['Is it in Europe?', 'european', 'in europe'],
  asia: ['Is it in Asia?', 'asian', 'in asia'],
  africa: ['Is it in Africa?', 'african', 'in africa'],
  'north-america': ['Is it in North or Central America?', 'in north america', 'north american'],
  'south-america': ['Is it in South America?', 'in south america', 'south american'],
  oceania: ['Is it in Australia or Oceania?', 'in oceania', 'in australia'],
  capital: ['Is it the capital of its country?', 'capital', 'capital city', 'national capital'],
  sea: ['Does it lie on the sea?', 'on the coast', 'coastal', 'have a sea port', 'by the sea'],
  southern: ['Is it south of the equator?', 'in the southern hemisphere', 'south of the equator'],
  tropical: ['Does it lie between the tropics?', 'tropical', 'in the tropics'],
  huge: ['Do more than ten million people live in and around it?', 'megacity', 'have over ten million people', 'huge'],
  high: ['Does it lie higher than 1,000 metres?', 'high in the mountains', 'at high altitude'],
  island: ['Does it lie on an island?', 'on an island'],
  english: ['Is English an official or main language there?', 'speak english', 'english speaking'],
  spanish: ['Is Spanish the main language there?', 'speak spanish', 'spanish speaking'],
  arabic: ['Is Arabic the main language there?', 'speak arabic', 'arabic speaking'],
  olympics: ['Has it held the Summer Olympic Games?', 'held the olympics', 'olympic city'],
  winter: ['Does snow lie there in most winters?', 'snowy', 'have snow in winter'],
  canals: ['Is it known for its canals?', 'have canals', 'known for canals'],
  federal: ['Is its country a federation of states?', 'in a federal country', 'in a federation'],
  landlocked: ['Does its country have no coast?', 'in a landlocked country'],
};

/** Attributes that the cities of a part of the world share. */
export const cityBundles: Readonly<Record<string, string>> = {
  usa: 'north-america english federal',
  canada: 'north-america english federal winter',
  australia: 'oceania southern english federal sea',
  latin: 'south-america spanish',
};

export const cities = `
london: europe capital huge english olympics island
dublin: europe capital sea english island
paris: europe capital huge olympics
amsterdam: europe capital olympics canals
venice: europe sea canals
rome: europe capital olympics
milan: europe
madrid: europe capital spanish
barcelona: europe sea spanish olympics
seville: europe spanish
lisbon: europe capital sea
berlin: europe capital olympics federal winter
munich: europe olympics federal winter
hamburg: europe federal canals
vienna: europe capital federal landlocked winter
prague: europe capital landlocked winter
athens: europe capital sea olympics
helsinki: europe capital sea olympics winter
oslo: europe capital sea winter
copenhagen: europe capital sea canals island
moscow: europe capital huge olympics federal winter
istanbul: europe asia sea huge
reykjavik: europe capital sea island winter
tokyo: asia capital sea huge olympics island
osaka: asia sea huge island
sapporo: asia island winter
beijing: asia capital huge olympics
shanghai: asia sea huge
harbin: asia winter
seoul: asia capital huge olympics winter
ulaanbaatar: asia capital high landlocked winter
mumbai: asia sea huge tropical english federal
delhi: asia huge english federal
bangalore: asia huge tropical english federal
kathmandu: asia capital high federal landlocked
colombo: asia sea tropical island
bangkok: asia capital huge tropical canals
singapore: asia capital sea tropical english island
jakarta: asia capital sea huge tropical southern island
manila: asia capital sea huge tropical english island
dubai: asia sea arabic federal
baghdad: asia capital arabic federal
amman: asia capital arabic
beirut: asia capital sea arabic
sanaa: asia capital high tropical arabic
cairo: africa capital huge arabic
alexandria: africa sea arabic
tunis: africa capital sea arabic
khartoum: africa capital tropical arabic
lagos: africa sea huge tropical english federal
accra: africa capital sea tropical english
nairobi: africa capital high tropical southern english
addis ababa: africa capital high tropical federal landlocked
kampala: africa capital high tropical english landlocked
luanda: africa capital sea tropical southern
johannesburg: africa southern high english
durban: africa southern sea english
antananarivo: africa capital high tropical southern island
new york: usa sea huge winter island
los angeles: usa sea huge olympics
chicago: usa winter
denver: usa winter high
miami: usa sea
atlanta: usa olympics
honolulu: usa sea tropical island
montreal: north-america federal winter olympics island
ottawa: canada capital
mexico city: north-america capital huge high tropical spanish olympics federal
cancun: north-america sea tropical spanish federal
havana: north-america capital sea tropical spanish island
kingston: north-america capital sea tropical english island
bogota: latin capital high tropical huge
lima: latin capital sea huge tropical southern
cartagena: latin sea tropical
quito: latin capital high tropical southern
santiago: latin capital southern
buenos aires: latin capital southern huge federal
cordoba: latin southern federal
montevideo: latin capital sea southern
asuncion: latin capital southern landlocked
caracas: latin capital tropical federal
rio de janeiro: south-america sea tropical southern huge olympics federal
manaus: south-america tropical southern federal
brasilia: south-america capital high tropical southern federal
sydney: australia olympics
canberra: oceania southern english federal capital
darwin: australia tropical
perth: australia
wellington: oceania capital southern sea english island
auckland: oceania southern sea english island
suva: oceania capital southern tropical sea english island
`;
