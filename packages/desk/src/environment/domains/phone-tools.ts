/** @file What the customer of τ²'s telecom desk can do with the phone, by the rules of the release, in the words of its screen. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { type DomainDraft, Misfit } from './draft.ts';
import * as phone from './phone.ts';
import { decimal } from './telecom.ts';
import { type DomainTool, tool } from './tool.ts';

const { deviceIn, aroundIn, searchNetwork } = phone;
const onOff = (on: boolean) => (on ? 'ON' : 'OFF');
const yesNo = (yes: boolean) => (yes ? 'Yes' : 'No');

const signals: Readonly<Record<string, string>> = {
  ...{ none: '📵 No Signal', poor: '📶¹ Poor', fair: '📶² Fair', good: '📶³ Good', excellent: '📶⁴ Excellent' },
};

function statusBar(draft: DomainDraft): string {
  const device = deviceIn(draft);
  const { network_technology_connected: technology } = device;
  const connected = technology !== 'none';
  const cellular = [
    signals[device.network_signal_strength] ?? '📵 No Signal',
    ...(connected ? [technology] : []),
    ...(device.data_enabled && connected
      ? ['📱 Data Enabled', ...(device.data_saver_mode ? ['🔽 Data Saver'] : [])]
      : ['📵 Data Disabled']),
  ];
  const wifi = device.wifi_enabled && device.wifi_connected;
  return [
    ...(device.airplane_mode ? ['✈️ Airplane Mode'] : cellular),
    ...(wifi ? [device.wifi_ssid === null ? '📡 Enabled' : `📡 Connected to ${device.wifi_ssid}`] : []),
    ...(device.vpn_connected ? ['🔒 VPN Connected'] : []),
    `🔋 ${device.battery_level}%`,
  ].join(' | ');
}

const withBar = (draft: DomainDraft, text: string) => `${text}\nStatus Bar: ${statusBar(draft)}`;

function networkStatus(draft: DomainDraft): string {
  const device = deviceIn(draft);
  return [
    `Airplane Mode: ${onOff(device.airplane_mode)}`,
    `SIM Card Status: ${phone.simOf(device)}`,
    `Cellular Connection: ${device.network_connection_status}`,
    `Cellular Signal: ${device.network_signal_strength}`,
    `Cellular Network Type: ${device.network_technology_connected}`,
    `Mobile Data Enabled: ${yesNo(device.data_enabled)}`,
    `Data Roaming Enabled: ${yesNo(device.roaming_enabled)}`,
    `Wi-Fi Radio: ${onOff(device.wifi_enabled)}`,
    `Wi-Fi Connected: ${yesNo(device.wifi_connected)}`,
    ...(device.wifi_connected ? [`Connected Wi-Fi Network: ${device.wifi_ssid}`] : []),
  ].join('\n');
}

const advice: Readonly<Record<string, string>> = {
  'Very Poor': 'Connection is very slow. Basic web browsing might be difficult.',
  Poor: 'Connection is slow. Web browsing may be sluggish, streaming difficult.',
  Fair: 'Connection is okay for web browsing and some standard definition streaming.',
  Good: 'Connection is good for most activities, including HD streaming.',
  Excellent: 'Connection is very fast.',
};

const simWords: Readonly<Record<string, string>> = {
  active: 'Your SIM card is active and working.',
  missing: 'No SIM card detected in the phone.',
  locked_pin: 'The SIM card is locked with a PIN code.',
  locked_puk: 'The SIM card is locked with a PUK code.',
};

/** A switch of the phone; some of them make it look for a network again. */
function flip(name: string, about: string, key: 'data_enabled' | 'roaming_enabled' | 'data_saver_mode' | 'wifi_calling_enabled') {
  const searches = key === 'data_enabled' || key === 'roaming_enabled';
  const title = { data_enabled: 'Mobile Data', roaming_enabled: 'Data Roaming', data_saver_mode: 'Data Saver Mode' };
  return tool(`${name}!`, about, '', (draft) => {
    const device = deviceIn(draft);
    device[key] = !device[key];
    if (searches) searchNetwork(draft);
    return withBar(draft, `${key === 'wifi_calling_enabled' ? 'Wi-Fi Calling' : title[key]} is now ${onOff(device[key])}.`);
  });
}

function setApn(draft: DomainDraft, { apn_settings }: { readonly apn_settings: JsonObject }): string {
  const unknown = Object.keys(apn_settings).find((key) => !(key in phone.defaultApn));
  if (unknown !== undefined) throw new Misfit(`APN settings have no ${unknown}.`);
  const settings = { ...phone.defaultApn, ...apn_settings } as phone.Apn;
  if (!['internet', 'broken'].includes(settings.apn_name)) throw new Misfit('apn_name must be internet or broken.');
  deviceIn(draft).active_apn_settings = settings;
  searchNetwork(draft);
  return withBar(draft, `APN settings set to: ${settings.apn_name}`);
}

const grantsOf = (permissions: Readonly<Record<string, boolean>>) =>
  Object.keys(permissions)
    .filter((name) => permissions[name] === true)
    .map((name) => name.replaceAll('_', ' '));

function appOf(draft: DomainDraft, name: string) {
  const { app_statuses: apps } = deviceIn(draft);
  return Object.hasOwn(apps, name) ? apps[name] : undefined;
}

function grant(draft: DomainDraft, { app_name, permission: input }: { readonly app_name: string; readonly permission: string }): string {
  const app = appOf(draft, app_name);
  const permission = input.toLowerCase();
  if (app === undefined) return withBar(draft, `Error. App '${app_name}' not found. Cannot grant permission.`);
  const knownKeys = Object.keys(app.permissions);
  if (!knownKeys.includes(permission)) {
    const list = knownKeys.map((item) => `'${item}'`).join(', ');
    return withBar(draft, `Error. Permission '${permission}' not tracked for app '${app_name}', available permissions: [${list}]`);
  }
  app.permissions[permission] = true;
  return withBar(draft, `Success. Permission '${permission}' granted to app '${app_name}'.`);
}

const tools: readonly DomainTool[] = [
  tool(
    'check_status_bar',
    'The icons at the top of the screen: signal, data, Wi-Fi, battery.',
    '',
    (draft) => `Status Bar: ${statusBar(draft)}`,
  ),
  tool('check_network_status', 'Airplane mode, SIM card, signal, kind of network, data, roaming and Wi-Fi.', '', networkStatus),
  tool(
    'check_network_mode_preference',
    'The kind of network that the phone prefers.',
    '',
    (draft) => `Network Mode Preference: ${deviceIn(draft).network_mode_preference}`,
  ),
  tool(
    'set_network_mode_preference!',
    `Changes the kind of network that the phone prefers: ${Object.keys(phone.networkModes).join(', ')}.`,
    'mode',
    (draft, { mode }: { readonly mode: string }) => {
      if (!Object.hasOwn(phone.networkModes, mode)) {
        const all = Object.keys(phone.networkModes).join(', ');
        return withBar(draft, `Failed to set network mode: '${mode}' is not a valid option. Please use one of: ${all}`);
      }
      deviceIn(draft).network_mode_preference = mode;
      searchNetwork(draft);
      return withBar(draft, `Preferred Network Mode set to: ${mode}`);
    },
  ),
  tool('run_speed_test', 'How fast the internet is now.', '', (draft) => {
    const match = phone.speedOf(draft);
    if (match === null) return 'Speed test failed: No Connection.';
    return `Speed Test Result: ${match.speed.toFixed(2)} Mbps (${match.word}). ${advice[match.word]}`;
  }),
  tool('toggle_airplane_mode!', 'Turns airplane mode on or off.', '', (draft) => {
    const on = !deviceIn(draft).airplane_mode;
    phone.setAirplaneMode(draft, on);
    return withBar(draft, `Airplane Mode is now ${onOff(on)}.`);
  }),
  tool(
    'check_sim_status',
    'Whether the SIM card works, is missing or is locked.',
    '',
    (draft) => simWords[phone.simOf(deviceIn(draft))] ?? '',
  ),
  tool('reseat_sim_card!', 'Takes the SIM card out and puts it in again.', '', (draft) => {
    deviceIn(draft).sim_card_missing = false;
    searchNetwork(draft);
    return withBar(draft, 'SIM card re-seated successfully.');
  }),
  flip('toggle_data', 'Turns mobile data on or off.', 'data_enabled'),
  flip('toggle_roaming', 'Turns data roaming on or off.', 'roaming_enabled'),
  tool('check_data_restriction_status', 'Whether data saver is on.', '', (draft) =>
    deviceIn(draft).data_saver_mode ? 'Data Saver mode is ON (limits data usage).' : 'Data Saver mode is OFF.',
  ),
  flip('toggle_data_saver_mode', 'Turns data saver on or off.', 'data_saver_mode'),
  tool('check_apn_settings', 'The access point of mobile data, and the address for picture messages.', '', (draft) => {
    const { apn_name, mmsc_url } = deviceIn(draft).active_apn_settings;
    return `Current APN Name: ${apn_name}\nMMSC URL (for picture messages): ${mmsc_url ?? 'Not Set'}\n(These are technical settings, usually best left unchanged.)`;
  }),
  tool('set_apn_settings!', 'Sets the access point.', 'apn_settings:', setApn),
  tool('reset_apn_settings!', 'Sets the access point back at the next restart.', '', (draft) => {
    deviceIn(draft).active_apn_settings.reset_at_reboot = true;
    searchNetwork(draft);
    return withBar(draft, 'APN settings will reset at reboot.');
  }),
  tool('check_wifi_status', 'Whether Wi-Fi is on, and connected.', '', (draft) => {
    const device = deviceIn(draft);
    if (!device.wifi_enabled) return 'Wi-Fi is turned OFF.';
    if (!device.wifi_connected) return 'Wi-Fi is ON but not connected to any network.';
    return `Wi-Fi is ON and connected to '${device.wifi_ssid}'. Signal strength: ${device.wifi_signal_strength}.`;
  }),
  tool('toggle_wifi!', 'Turns Wi-Fi on or off.', '', (draft) => {
    const device = deviceIn(draft);
    if (device.airplane_mode) return withBar(draft, 'Cannot change Wi-Fi settings while Airplane Mode is ON.');
    device.wifi_enabled = !device.wifi_enabled;
    if (!device.wifi_enabled) Object.assign(device, { wifi_connected: false, wifi_ssid: null, wifi_signal_strength: 'none' });
    return withBar(draft, `Wi-Fi is now ${onOff(device.wifi_enabled)}.`);
  }),
  tool(
    'check_wifi_calling_status',
    'Whether calls go over Wi-Fi.',
    '',
    (draft) => `Wi-Fi Calling is currently turned ${onOff(deviceIn(draft).wifi_calling_enabled)}.`,
  ),
  flip('toggle_wifi_calling', 'Turns calls over Wi-Fi on or off.', 'wifi_calling_enabled'),
  tool('check_vpn_status', 'Whether a VPN is connected.', '', (draft) => {
    const { vpn_connected, vpn_details, vpn_enabled_setting } = deviceIn(draft);
    if (vpn_connected && vpn_details !== null) return `VPN is ON and connected. Details: ${JSON.stringify(vpn_details)}`;
    if (vpn_connected) return 'VPN is ON and connected (no specific details available).';
    return vpn_enabled_setting ? 'VPN is turned ON in settings, but currently not connected.' : 'VPN is turned OFF.';
  }),
  tool('connect_vpn!', 'Connects the VPN.', '', (draft) => {
    const device = deviceIn(draft);
    if (device.vpn_connected) return 'VPN already connected.';
    phone.connectVpn(device);
    return withBar(draft, 'VPN connected successfully.');
  }),
  tool('disconnect_vpn!', 'Disconnects the VPN.', '', (draft) => {
    const device = deviceIn(draft);
    if (!device.vpn_connected) return withBar(draft, 'No active VPN connection to disconnect.');
    Object.assign(device, { vpn_connected: false, vpn_details: null });
    return withBar(draft, 'VPN disconnected successfully.');
  }),
  tool(
    'check_installed_apps',
    'The names of all apps.',
    '',
    (draft) => `The following apps are installed on the phone: ${Object.keys(deviceIn(draft).app_statuses).join(', ')}`,
  ),
  tool('check_app_status', 'What an app may do.', 'app_name', (draft, { app_name }: { readonly app_name: string }) => {
    const app = appOf(draft, app_name);
    if (app === undefined) return `App '${app_name}' not found on this phone.`;
    const allowed = grantsOf(app.permissions);
    const lines =
      allowed.length === 0 ? [' - Permissions: None granted.'] : [' - Permissions Granted:', ...allowed.map((item) => `   - ${item}`)];
    return [`Status for App: ${app_name}`, ...lines].join('\n');
  }),
  tool('check_app_permissions', 'The permissions of an app.', 'app_name', (draft, { app_name }: { readonly app_name: string }) => {
    const app = appOf(draft, app_name);
    if (app === undefined) return `App '${app_name}' not found on this phone.`;
    const allowed = grantsOf(app.permissions);
    if (allowed.length === 0) return `App '${app_name}' currently has no permissions granted.`;
    return `App '${app_name}' has permission for: ${allowed.join(', ')}.`;
  }),
  tool('grant_app_permission!', 'Gives an app a permission, in lower case.', 'app_name permission', grant),
  tool(
    'can_send_mms',
    'Whether the messaging app can send picture messages.',
    '',
    (draft) => `Your messaging app ${phone.canSendMms(draft) ? 'can' : 'cannot'} send MMS messages.`,
  ),
  tool('reboot_device!', 'Starts the phone again.', '', (draft) => {
    const device = deviceIn(draft);
    const resets = device.active_apn_settings.reset_at_reboot;
    if (resets) device.active_apn_settings = { ...phone.defaultApn };
    searchNetwork(draft);
    return withBar(draft, `${resets ? 'Resetting APN settings...\n' : ''}Restarting network services...`);
  }),
  tool('check_payment_request', 'Whether the desk asks for a payment.', '', (draft) => {
    const { payment_request: wanted } = aroundIn(draft);
    if (wanted === null) return 'No payment request has been made.';
    return `You have a payment request for bill ${wanted.bill_id} of ${decimal(wanted.amount_due)} USD.`;
  }),
  tool('make_payment!', 'Pays the bill that the desk has asked for.', '', (draft) => {
    const { payment_request: wanted } = aroundIn(draft);
    if (wanted === null) return 'You do not have a payment request.';
    wanted.paid = true;
    return `Payment of ${decimal(wanted.amount_due)} USD has been made for bill ${wanted.bill_id}.`;
  }),
];

export const phoneTools: readonly DomainTool[] = tools.map((tool) => ({ ...tool, of: 'customer' }));
