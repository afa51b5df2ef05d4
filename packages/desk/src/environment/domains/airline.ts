/** @file The tools of τ²'s airline desk, by the rules of its release: the same checks in the same order, and the same changes. */

import type { Json } from '@ludus-agents/kernel/internal/core/index';
import { calculate, type DomainDraft, Misfit } from './draft.ts';
import { type DomainTool, tool } from './tool.ts';

interface OnDate {
  readonly status: string;
  readonly available_seats: Record<string, number>;
  readonly prices: Readonly<Record<string, number>>;
}
interface Flight {
  readonly flight_number: string;
  readonly origin: string;
  readonly destination: string;
  readonly scheduled_departure_time_est: string;
  readonly scheduled_arrival_time_est: string;
  readonly dates: Readonly<Record<string, OnDate>>;
}
type Leg = {
  readonly flight_number: string;
  readonly date: string;
};
type ReservedLeg = Leg & {
  readonly origin: string;
  readonly destination: string;
  readonly price: number;
};
type Payment = {
  readonly payment_id: string;
  readonly amount: number;
};
interface Reservation {
  readonly user_id: string;
  cabin: string;
  flights: ReservedLeg[];
  passengers: Json[];
  readonly payment_history: Payment[];
  total_baggages: number;
  nonfree_baggages: number;
  [more: string]: unknown;
}
type Method = {
  readonly source: string;
  amount: number;
};
type User = {
  readonly reservations: string[];
  readonly payment_methods: Record<string, Method>;
};

type Args = Readonly<Record<string, string>>;

const userOf = (draft: DomainDraft, id: string) => draft.row<User>('users', id, `User ${id} not found`);
const reservationOf = (draft: DomainDraft, id: string) => draft.row<Reservation>('reservations', id, `Reservation ${id} not found`);
const flightOf = (draft: DomainDraft, number: string) => draft.row<Flight>('flights', number, `Flight ${number} not found`);

function onDate(draft: DomainDraft, { flight_number, date }: Leg): OnDate {
  const { dates } = flightOf(draft, flight_number);
  if (!Object.hasOwn(dates, date)) throw new Misfit(`Flight ${flight_number} not found on date ${date}`);
  return dates[date];
}

/** A flight with enough free seats for this number of passengers. */
function seatsOn(draft: DomainDraft, leg: Leg, cabin: string, people: number): OnDate {
  const day = onDate(draft, leg);
  if (day.status !== 'available') throw new Misfit(`Flight ${leg.flight_number} not available on date ${leg.date}`);
  if (!((day.available_seats[cabin] ?? Number.NaN) >= people)) throw new Misfit(`Not enough seats on flight ${leg.flight_number}`);
  return day;
}

function reserveLeg(draft: DomainDraft, { flight_number, date }: Leg, price: number): ReservedLeg {
  const { origin, destination } = flightOf(draft, flight_number);
  return { origin, destination, flight_number, date, price };
}

function payForUpdate(user: User, id: string, amount: number): readonly Payment[] {
  const method = user.payment_methods[id];
  if (method === undefined) throw new Misfit('Payment method not found');
  if (method.source === 'certificate') throw new Misfit('Certificate cannot be used to update reservation');
  if (method.source === 'gift_card' && method.amount < amount) throw new Misfit('Gift card balance is not enough');
  if (method.source === 'gift_card') method.amount -= amount;
  return amount === 0 ? [] : [{ payment_id: id, amount }];
}

interface Search {
  readonly date: string;
  readonly origin?: string;
  readonly destination?: string;
  readonly after?: string;
}

function direct(draft: DomainDraft, { date, origin, destination, after }: Search) {
  return draft.rows<Flight>('flights').flatMap(({ dates, ...flight }) => {
    const day = dates[date];
    const fits =
      (origin === undefined || flight.origin === origin) &&
      (destination === undefined || flight.destination === destination) &&
      day?.status === 'available' &&
      (after === undefined || flight.scheduled_departure_time_est >= after);
    return fits ? [{ ...flight, status: 'available', available_seats: day.available_seats, prices: day.prices }] : [];
  });
}

interface Booking {
  readonly user_id: string;
  readonly origin: string;
  readonly destination: string;
  readonly flight_type: string;
  readonly cabin: string;
  readonly flights: readonly Leg[];
  readonly passengers: Json[];
  readonly payment_methods: readonly Payment[];
  readonly total_baggages: number;
  readonly nonfree_baggages: number;
  readonly insurance: string;
}

function book(draft: DomainDraft, booking: Booking): Json {
  const { cabin, passengers, payment_methods: payments, nonfree_baggages } = booking;
  const user = userOf(draft, booking.user_id);
  const id = ['HATHAT', 'HATHAU', 'HATHAV'].find((item) => !draft.has('reservations', item));
  if (id === undefined) throw new Misfit('Too many reservations');
  const days = booking.flights.map((leg) => seatsOn(draft, leg, cabin, passengers.length));
  const flights = booking.flights.map((leg, i) => reserveLeg(draft, leg, days[i].prices[cabin]));
  const total =
    flights.reduce((sum, { price }) => sum + price * passengers.length, 0) +
    (booking.insurance === 'yes' ? 30 * passengers.length : 0) +
    50 * nonfree_baggages;
  for (const { payment_id, amount } of payments) {
    const method = user.payment_methods[payment_id];
    if (method === undefined) throw new Misfit(`Payment method ${payment_id} not found`);
    if (method.source !== 'credit_card' && method.amount < amount) throw new Misfit(`Not enough balance in payment method ${payment_id}`);
  }
  const payment = payments.reduce((sum, { amount }) => sum + amount, 0);
  if (payment !== total) throw new Misfit(`Payment amount does not add up, total price is ${total}, but paid ${payment}`);
  for (const { payment_id, amount } of payments) {
    const method = user.payment_methods[payment_id];
    if (method?.source === 'gift_card') method.amount -= amount;
    else if (method?.source === 'certificate') delete user.payment_methods[payment_id];
  }
  for (const day of days) day.available_seats[cabin] -= passengers.length;
  const reservation = {
    ...{
      reservation_id: id,
      user_id: booking.user_id,
      origin: booking.origin,
      destination: booking.destination,
      flight_type: booking.flight_type,
    },
    ...{ cabin, flights, passengers, payment_history: [...payments], created_at: '2024-05-15T15:00:00' },
    ...{ total_baggages: booking.total_baggages, nonfree_baggages, insurance: booking.insurance },
  };
  draft.add('reservations', id, reservation as never);
  user.reservations.push(id);
  return reservation;
}

interface NewFlights {
  readonly reservation_id: string;
  readonly cabin: string;
  readonly flights: readonly Leg[];
  readonly payment_id: string;
}

function changeFlights(draft: DomainDraft, { reservation_id, cabin, flights, payment_id }: NewFlights): Json {
  const reservation = reservationOf(draft, reservation_id);
  const user = userOf(draft, reservation.user_id);
  const people = reservation.passengers.length;
  const legs = flights.map((leg) => {
    const reservedLeg = reservation.flights.find(
      (flight) => flight.flight_number === leg.flight_number && flight.date === leg.date && cabin === reservation.cabin,
    );
    return reservedLeg ?? reserveLeg(draft, leg, seatsOn(draft, leg, cabin, people).prices[cabin]);
  });
  const cost = (list: readonly ReservedLeg[]) => list.reduce((sum, { price }) => sum + price * people, 0);
  reservation.payment_history.push(...payForUpdate(user, payment_id, cost(legs) - cost(reservation.flights)));
  reservation.flights = legs;
  reservation.cabin = cabin;
  return reservation as Json;
}

const airports =
  'SFO San Francisco|JFK New York|LAX Los Angeles|ORD Chicago|DFW Dallas|DEN Denver|SEA Seattle|ATL Atlanta|MIA Miami|BOS Boston|PHX Phoenix|IAH Houston|LAS Las Vegas|MCO Orlando|EWR Newark|CLT Charlotte|MSP Minneapolis|DTW Detroit|PHL Philadelphia|LGA LaGuardia';

export const airline: readonly DomainTool[] = [
  tool(
    'book_reservation!',
    'Books flights for a customer.',
    'user_id origin destination flight_type cabin flights{} passengers{} payment_methods{} total_baggages# nonfree_baggages# insurance',
    book,
  ),
  tool('calculate', 'The result of an expression of numbers.', 'expression', (_, { expression }: Args) => String(calculate(expression))),
  tool('cancel_reservation!', 'Cancels a whole reservation.', 'reservation_id', (draft, { reservation_id }: Args) => {
    const reservation = reservationOf(draft, reservation_id);
    reservation.payment_history.push(...reservation.payment_history.map(({ payment_id, amount }) => ({ payment_id, amount: -amount })));
    reservation['status'] = 'cancelled';
    return reservation as Json;
  }),
  tool(
    'get_reservation_details',
    'A reservation.',
    'reservation_id',
    (draft, { reservation_id }: Args) => reservationOf(draft, reservation_id) as Json,
  ),
  tool(
    'get_user_details',
    'A customer with payment methods and reservations.',
    'user_id',
    (draft, { user_id }: Args) => userOf(draft, user_id) as Json,
  ),
  tool('list_all_airports', 'All airports with their cities.', '', () =>
    airports.split('|').map((item) => ({ iata: item.slice(0, 3), city: item.slice(4) })),
  ),
  tool(
    'search_direct_flight',
    'Flights between two airports on a day.',
    'origin destination date',
    (draft, { origin, destination, date }: Args) => direct(draft, { date: date, origin: origin, destination: destination }) as Json,
  ),
  tool(
    'search_onestop_flight',
    'Pairs of flights between two airports on a day.',
    'origin destination date',
    (draft, { origin, destination, date }: Args) =>
      direct(draft, { date: date, origin: origin }).flatMap((first) => {
        const next = first.scheduled_arrival_time_est.includes('+1') ? `2024-05-${Number(date.slice(-2)) + 1}` : date;
        const onward = direct(draft, {
          ...{ date: next, origin: first.destination, destination: destination, after: first.scheduled_arrival_time_est },
        });
        return onward.map((second) => [
          { ...first, date: date },
          { ...second, date: next },
        ]);
      }) as Json,
  ),
  tool(
    'send_certificate!',
    'Gives a customer a certificate of some amount.',
    'user_id amount#',
    (draft, { user_id, amount }: { user_id: string; amount: number }) => {
      const { payment_methods } = userOf(draft, user_id);
      const id = [3221322, 3221323, 3221324].map((number) => `certificate_${number}`).find((item) => !Object.hasOwn(payment_methods, item));
      if (id === undefined) throw new Misfit('Too many certificates');
      payment_methods[id] = { id, amount, source: 'certificate' } as Method;
      return `Certificate ${id} added to user ${user_id} with amount ${amount}.`;
    },
  ),
  tool('transfer_to_human_agents', 'Hands the customer over to a person, with a summary.', 'summary', () => 'Transfer successful'),
  tool(
    'update_reservation_baggages!',
    'Changes the bags of a reservation.',
    'reservation_id total_baggages# nonfree_baggages# payment_id',
    (draft, input: { reservation_id: string; total_baggages: number; nonfree_baggages: number; payment_id: string }) => {
      const reservation = reservationOf(draft, input.reservation_id);
      const cost = 50 * Math.max(0, input.nonfree_baggages - reservation.nonfree_baggages);
      reservation.payment_history.push(...payForUpdate(userOf(draft, reservation.user_id), input.payment_id, cost));
      reservation.total_baggages = input.total_baggages;
      reservation.nonfree_baggages = input.nonfree_baggages;
      return reservation as Json;
    },
  ),
  tool(
    'update_reservation_flights!',
    'Changes the flights or the cabin of a reservation; all flights are given.',
    'reservation_id cabin flights{} payment_id',
    changeFlights,
  ),
  tool(
    'update_reservation_passengers!',
    'Changes who flies; not how many.',
    'reservation_id passengers{}',
    (draft, input: { reservation_id: string; passengers: Json[] }) => {
      const reservation = reservationOf(draft, input.reservation_id);
      if (input.passengers.length !== reservation.passengers.length) throw new Misfit('Number of passengers does not match');
      reservation.passengers = input.passengers;
      return reservation as Json;
    },
  ),
  tool(
    'get_flight_status',
    'The status of a flight on a day.',
    'flight_number date',
    (draft, { flight_number, date }: Args) => onDate(draft, { flight_number: flight_number, date: date }).status,
  ),
];
