/** @file The phone of a customer at τ²'s telecom desk: its state, and how it finds a network, by the rules of the release. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { DomainDraft } from './draft.ts';

export interface Apn {
  apn_name: string;
  reset_at_reboot: boolean;
  mms_apn: string | null;
  mmsc_url: string | null;
  mms_proxy: string | null;
  mms_port: number | null;
}
export interface Device {
  sim_card_status: string;
  sim_card_missing: boolean;
  airplane_mode: boolean;
  network_signal_strength: string;
  network_technology_connected: string;
  network_connection_status: string;
  readonly battery_level: number;
  data_enabled: boolean;
  roaming_enabled: boolean;
  network_mode_preference: string;
  active_apn_settings: Apn;
  wifi_enabled: boolean;
  wifi_connected: boolean;
  wifi_ssid: string | null;
  wifi_signal_strength: string;
  wifi_calling_enabled: boolean;
  wifi_calling_mms_over_wifi: boolean;
  data_saver_mode: boolean;
  readonly vpn_enabled_setting: boolean;
  vpn_connected: boolean;
  vpn_details: { server_address: string; protocol: string; server_performance: string } | null;
  readonly app_statuses: Readonly<Record<string, { readonly app_name: string; readonly permissions: Record<string, boolean> }>>;
}
export interface Surroundings {
  name: string | null;
  phone_number: string | null;
  is_abroad: boolean;
  roaming_allowed: boolean;
  readonly signal_strength: Readonly<Record<string, string>>;
  mobile_data_usage_exceeded: boolean;
  line_active: boolean;
  payment_request: { readonly bill_id: string; readonly amount_due: number; paid: boolean } | null;
}

export const defaultApn: Apn = {
  ...{ apn_name: 'internet', reset_at_reboot: false, mms_apn: 'mms', mmsc_url: 'http://mms.carrier.com/mms/wapenc' },
  ...{ mms_proxy: null, mms_port: null },
};

/** A phone from a release's file, with defaults for missing fields. */
export function phoneRecords(jsonObject: JsonObject): { readonly device: JsonObject; readonly surroundings: JsonObject } {
  const { device = {}, surroundings = {} } = jsonObject as Readonly<Record<string, JsonObject>>;
  const apn = (device['active_apn_settings'] ?? {}) as JsonObject;
  return {
    device: { wifi_ssid: null, vpn_details: null, ...device, active_apn_settings: { ...defaultApn, ...apn } },
    surroundings: {
      ...{ name: null, phone_number: null, is_abroad: false, roaming_allowed: false, mobile_data_usage_exceeded: false },
      ...{ signal_strength: { '2G': 'poor', '3G': 'fair', '4G': 'good', '5G': 'excellent' }, line_active: true, payment_request: null },
      ...surroundings,
    },
  };
}

export const deviceIn = (draft: DomainDraft) => draft.row<Device>('phone', 'device', 'There is no phone.');
export const aroundIn = (draft: DomainDraft) => draft.row<Surroundings>('phone', 'surroundings', 'There is no phone.');

export const networkModes: Readonly<Record<string, string>> = {
  '4g_5g_preferred': '5G',
  '4g_only': '4G',
  '3g_only': '3G',
  '2g_only': '2G',
};

export function simOf({ sim_card_missing, sim_card_status }: Device): string {
  return sim_card_missing ? 'missing' : sim_card_status;
}

/** Looks for a network by preference; finds none without a card, in airplane mode, with a broken access point or an inactive line. */
export function searchNetwork(draft: DomainDraft): void {
  const [device, around] = [deviceIn(draft), aroundIn(draft)];
  const signal = (technology: string) => around.signal_strength[technology] ?? 'none';
  const wanted = networkModes[device.network_mode_preference] ?? '4G';
  const technology = wanted === '5G' && signal('5G') === 'none' ? '4G' : wanted;
  const has = simOf(device) === 'active' && !device.airplane_mode && device.active_apn_settings.apn_name !== 'broken' && around.line_active;
  device.network_connection_status = has ? 'connected' : 'no_service';
  device.network_technology_connected = has ? technology : 'none';
  device.network_signal_strength = has ? signal(technology) : 'none';
}

export function hasMobileData(draft: DomainDraft): boolean {
  const [device, around] = [deviceIn(draft), aroundIn(draft)];
  if (device.airplane_mode || device.network_signal_strength === 'none' || device.network_connection_status === 'no_service') return false;
  if (around.is_abroad && !(device.roaming_enabled && around.roaming_allowed)) return false;
  return device.data_enabled && !around.mobile_data_usage_exceeded;
}

const speeds: Readonly<Record<string, number>> = { '2G': 0.25, '3G': 3, '4G': 55, '5G': 275 };
const shares: Readonly<Record<string, number>> = { poor: 0.2, fair: 0.5, good: 0.8, excellent: 1 };

/** Megabits per second with their label; null without a connection. */
export function speedOf(draft: DomainDraft): { readonly speed: number; readonly word: string } | null {
  if (!hasMobileData(draft)) return null;
  const device = deviceIn(draft);
  const slowed = (device.vpn_connected && device.vpn_details?.server_performance === 'poor' ? 0.1 : 1) * (device.data_saver_mode ? 0.2 : 1);
  const full = (speeds[device.network_technology_connected] ?? 0) * (shares[device.network_signal_strength] ?? 0) * slowed;
  const speed = Math.round(full * 100) / 100;
  const word = speed < 1 ? 'Very Poor' : speed < 5 ? 'Poor' : speed < 25 ? 'Fair' : speed < 100 ? 'Good' : 'Excellent';
  return { speed, word };
}

export function canSendMms(draft: DomainDraft): boolean {
  const device = deviceIn(draft);
  if (!hasMobileData(draft) || device.network_technology_connected === '2G') return false;
  if (device.wifi_calling_enabled && device.wifi_calling_mms_over_wifi) return false;
  const app = device.app_statuses['messaging'];
  return device.active_apn_settings.mmsc_url !== null && app?.permissions['storage'] === true && app.permissions['sms'] === true;
}

export function setAirplaneMode(draft: DomainDraft, on: boolean): void {
  const device = deviceIn(draft);
  device.airplane_mode = on;
  if (on || device.wifi_enabled) Object.assign(device, { wifi_connected: false, wifi_ssid: null, wifi_signal_strength: 'none' });
  if (on) Object.assign(device, { vpn_connected: false, vpn_details: null });
  searchNetwork(draft);
}

export function connectVpn(device: Device): void {
  device.vpn_connected = true;
  device.vpn_details = { server_address: '192.168.1.1', protocol: 'OpenVPN', server_performance: 'excellent' };
}
