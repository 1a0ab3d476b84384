// What `iw` and `hostapd_cli` print on access points, for tests: two radios, and one of them alone.

export const oneRadio = `phy#0
	Interface wlan0
		ifindex 4
		wdev 0x1
		addr dc:a6:32:00:00:01
		ssid weft
		type AP
		channel 36 (5180 MHz), width: 80 MHz, center1: 5210 MHz
		txpower 20.00 dBm
		multicast TXQ:
			qsz-byt	qsz-pkt	flows	drops	marks	overlmt	hashcol	tx-bytes	tx-packets
			0	0	0	0	0	0	0	0		0
`;

export const twoRadios = `phy#1
	Interface wlan1
		ifindex 6
		wdev 0x100000001
		addr dc:a6:32:00:00:03
		type managed
		txpower 31.00 dBm
	Interface wlan2
		ifindex 7
		wdev 0x100000002
		addr dc:a6:32:00:00:02
		ssid weft
		type AP
		channel 6 (2437 MHz), width: 20 MHz, center1: 2437 MHz
		txpower 17.50 dBm
${oneRadio}`;

export const phyInfo = `Wiphy phy0
	max # scan SSIDs: 10
	Band 1:
		Frequencies:
			* 2412 MHz [1] (20.0 dBm)
			* 2484 MHz [14] (disabled)
	Band 2:
		Frequencies:
			* 5180.0 MHz [36] (23.0 dBm)
			* 5200.0 MHz [40] (23.0 dBm)
			* 5220.0 MHz [44] (23.0 dBm)
			* 5260.0 MHz [52] (23.0 dBm) (no IR, radar detection)
			* 5745.0 MHz [149] (13.0 dBm)
`;

/** Of two devices and one that is not let in yet; the counters as after `seconds`. */
export function stations(seconds: number): string {
  return `Station 02:00:00:00:01:00 (on wlan0)
	inactive time:	304 ms
	rx bytes:	18816
	rx packets:	104
	tx bytes:	17246
	tx packets:	${1000 + 90 * seconds}
	tx retries:	${300 + 10 * seconds}
	tx failed:	${6 + seconds}
	rx drop misc:	2
	signal:  	-46 [-48, -50] dBm
	signal avg:	-50 [-52, -54] dBm
	tx bitrate:	866.7 MBit/s VHT-MCS 9 80MHz short GI VHT-NSS 2
	rx bitrate:	400.0 MBit/s
	authorized:	yes
	authenticated:	yes
	connected time:	404 seconds
	Link 0:
		tx packets:	1
		signal:  	-20 dBm
Station 02:00:00:00:02:00 (on wlan0)
	tx packets:	${50 + 10 * seconds}
	tx retries:	0
	tx failed:	0
	signal:  	-70 dBm
	tx bitrate:	133.3 MBit/s
	rx bitrate:	(unknown)
	authorized:	yes
Station 02:00:00:00:03:00 (on wlan0)
	signal:  	-88 dBm
	authorized:	no
`;
}

export function survey(activeMs: number, busyMs: number, transmitMs: number): string {
  return `Survey data from wlan0
	frequency:			5170 MHz
	noise:				-97 dBm
	channel active time:		59 ms
	channel busy time:		44 ms
Survey data from wlan0
	frequency:			5180 MHz [in use]
	noise:				-95 dBm
	channel active time:		${activeMs} ms
	channel busy time:		${busyMs} ms
	channel receive time:		270 ms
	channel transmit time:		${transmitMs} ms
`;
}

export const hostapdStatus = `state=ENABLED
phy=phy0
freq=5260
num_sta_non_erp=0
cac_time_seconds=60
channel=52
secondary_channel=1
ieee80211n=1
ieee80211ac=1
ieee80211ax=0
beacon_int=100
max_txpower=23
bss[0]=wlan0
bssid[0]=02:00:00:00:00:00
ssid[0]=weft
num_sta[0]=2
chan_util_avg=51
`;

export const hostapdStations = `02:00:00:00:01:00
flags=[AUTH][ASSOC][AUTHORIZED][SHORT_PREAMBLE][WMM][HT]
aid=1
capability=0x431
listen_interval=20
supported_rates=02 04 0b 16
timeout_next=NULLFUNC POLL
rx_packets=98
tx_packets=74
rx_bytes=11319
tx_bytes=11432
inactive_msec=4344
signal=-57
rx_rate_info=1170 mcs 13
tx_rate_info=1300 mcs 7 shortGI
connected_time=24
02:00:00:00:02:00
flags=[AUTH][ASSOC]
signal=-80
`;
