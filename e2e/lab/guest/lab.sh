#!/bin/sh
# The network of the lab: two access points (ap1 on 2.4 GHz, ap2 on 5 GHz), two stations, and a phone with a WiFi link and a
# "5G" link. Each is a network namespace of its own, as if it were a machine of its own. To be sourced, or run with the name
# of a function.
log=/mnt/log
secret=weft-lab-1
state=/run/lab
# Where hostapd's files are: elsewhere if they have to outlive the power.
files=$state
[ -d /disk ] && files=/disk
mkdir -p $state /etc/netns

# Waits for a command to succeed, at most 60 s and the time that it takes; says which one did not.
wait_for() {
  for _ in $(seq 300); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 0.2
  done
  echo "still not so: $*" >&2
  return 1
}

# Who answers late is taken for somebody who is not there: the kernel waits for 0.2 s at times.
prefer() { renice -n -10 -p "$@"; }

# A namespace on the network of the guest; /etc/weft-agent and /etc/systemd are its own (ip netns exec sees to that).
machine() { # name address bridge|plain
  ip netns add "$1"
  mkdir -p "/etc/netns/$1/weft-agent" "/etc/netns/$1/systemd/system" /etc/weft-agent /etc/systemd/system "$state/$1"
  ip link add "$1-lan" type veth peer name uplink netns "$1"
  ip link set "$1-lan" master lan up
  ip -n "$1" link set lo up
  ip -n "$1" link set uplink up
  if [ "$3" = bridge ]; then
    ip -n "$1" link add br0 type bridge
    ip -n "$1" link set uplink master br0
    ip -n "$1" link set br0 up
    ip -n "$1" addr add "$2/24" dev br0
  else
    ip -n "$1" addr add "$2/24" dev uplink
  fi
  ip -n "$1" route add default via 10.0.2.2
}

access_point() { # name address phy interface mode channel more
  machine "$1" "$2" bridge
  iw phy "$3" set netns name "$1"
  mkdir -p "$files/$1"
  [ -e "$files/$1/hostapd.conf" ] || {
    printf '%s\n' "interface=$4" bridge=br0 driver=nl80211 ctrl_interface=/run/hostapd ssid=weft country_code=US
    printf '%s\n' "hw_mode=$5" "channel=$6" ieee80211n=1 wmm_enabled=1 wpa=2 wpa_key_mgmt=WPA-PSK rsn_pairwise=CCMP
    printf '%s\n' "wpa_passphrase=$secret" bss_transition=1 rrm_neighbor_report=1 "$7"
    # A station that has gone without a word is asked after 2 s whether it is still there, instead of 300 s.
    echo ap_max_inactivity=2
  } > "$files/$1/hostapd.conf"
  keep_hostapd "$1" &
}

# As a service manager does: starts it again whenever it ends.
keep_hostapd() {
  # Not the pipes of the caller, who waits for their end; the shell would keep them if they were redirected at the call.
  exec > /dev/null 2>&1 < /dev/null
  while :; do
    ip netns exec "$1" hostapd -t "$files/$1/hostapd.conf" >> "$log/hostapd-$1.log" 2>&1 &
    echo $! > "$state/$1/hostapd.pid"
    prefer $!
    wait $!
    sleep 1
  done
}

station() { # namespace phy interface address frequencies networks
  ip netns list | grep -qw "$1" || ip netns add "$1"
  iw phy "$2" set netns name "$1"
  {
    echo "ctrl_interface=/run/wpa-$1"
    # Other networks that it knows, beside the one of the lab.
    for each in weft ${6:-}; do
      echo 'network={'
      # Without a list of frequencies to look at, each search takes many seconds.
      printf ' %s\n' "ssid=\"$each\"" "psk=\"$secret\"" key_mgmt=WPA-PSK 'scan_freq=2412 2437 5180 5200' "freq_list=$5"
      echo '}'
    done
  } > "$state/$3.conf"
  ip -n "$1" link set lo up
  ip -n "$1" link set "$3" up
  ip -n "$1" addr add "$4/24" dev "$3"
  ip netns exec "$1" wpa_supplicant -B -t -D nl80211 -i "$3" -c "$state/$3.conf" -f "$log/$3.log"
  # shellcheck disable=SC2046 # these are words
  prefer $(pidof wpa_supplicant)
}

serves() { hostapd_cli -i "$1" status | grep -q state=ENABLED; }
is_associated() { wpa_cli -p "/run/wpa-$1" -i "$2" status | grep -q wpa_state=COMPLETED; }
has_station() { hostapd_cli -i "$1" list_sta | grep -q "$2"; }

set_up() {
  hostname weft-lab
  mkdir -p /usr/local/bin
  cp /mnt/systemctl /usr/local/bin/
  modprobe -a ccm ctr cmac bridge veth sch_tbf sch_netem
  modprobe mac80211_hwsim radios=5
  iw reg set US
  access_point ap1 10.0.2.21 phy0 wlan0 g 1 ''
  access_point ap2 10.0.2.22 phy1 wlan1 a 36 ieee80211ac=1
  wait_for serves wlan0
  wait_for serves wlan1
  # How well others hear it, without its power: so its two devices differ.
  printf 0x%x -80 > /sys/kernel/debug/ieee80211/phy3/hwsim/rx_rssi
  # The first station could go anywhere, the second one knows nothing but 2.4 GHz: it refuses to go elsewhere.
  station s1 phy2 wlan2 10.0.2.31 2412
  station s2 phy3 wlan3 10.0.2.32 '2412 2437'
  wait_for is_associated s1 wlan2
  wait_for is_associated s2 wlan3
  wpa_cli -p /run/wpa-s1 -i wlan2 set_network 0 freq_list '2412 2437 5180 5200'
}

# Two access points, of which the power is cut, each with a station; their files are on a disk. Called again after each cut.
set_up_on_disk() {
  modprobe -a virtio_blk ext4 ccm ctr cmac bridge veth
  mkdir -p /disk
  mount -t ext4 /dev/vda /disk 2> /dev/null || { mke2fs -q -t ext4 /dev/vda && mount -t ext4 /dev/vda /disk; } || return 1
  files=/disk
  modprobe mac80211_hwsim radios=4
  iw reg set US
  access_point ap1 10.0.2.21 phy0 wlan0 g 1 ''
  access_point ap2 10.0.2.22 phy1 wlan1 a 36 ieee80211ac=1
  station s1 phy2 wlan2 10.0.2.31 '2412 2437' 'weft-new'
  station s2 phy3 wlan3 10.0.2.32 '5180 5200' 'weft-new'
  wait_for serves wlan0
  wait_for serves wlan1
}

# `weft agent` of the disk at the first access point, and the agent in shell at the second; their settings are in files there.
start_agents_of_disk() {
  mkdir -p /disk/ap1/state "$state/ap1/runtime" /disk/ap2/shell
  set -a
  . /disk/ap1/agent.env
  export STATE_DIRECTORY=/disk/ap1/state RUNTIME_DIRECTORY="$state/ap1/runtime"
  ip netns exec ap1 node /disk/weft.mjs agent run >> "$log/agent-ap1.log" 2>&1 < /dev/null &
  . /disk/ap2/agent.env
  export WEFT_AGENT_STATE_DIR=/disk/ap2/shell WEFT_AGENT_HOSTAPD_CONF=/disk/ap2/hostapd.conf
  ip netns exec ap2 busybox sh /disk/weft-agent.sh >> "$log/shell-ap2.log" 2>&1 < /dev/null &
  set +a
}

# The phone: its WiFi is the fifth radio, its "5G" a shaped and delayed cable. Both lead to addresses of the guest itself.
set_up_phone() {
  machine phone 10.0.2.41 plain
  ip addr add 10.9.1.1/24 dev lan
  station phone phy4 wlan4 10.9.1.2 5180
  ip link add cell type veth peer name cell0 netns phone
  ip link set cell up
  ip addr add 10.9.2.1/24 dev cell
  ip -n phone link set cell0 up
  ip -n phone addr add 10.9.2.2/24 dev cell0
  tc qdisc add dev cell root tbf rate 1mbit burst 16k latency 100ms
  ip netns exec ap2 tc qdisc add dev wlan1 root tbf rate 1mbit burst 16k latency 100ms
  # Answers leave where their address is.
  ip netns exec phone sysctl -qw net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2 net.ipv4.conf.all.rp_filter=0
  ip -n phone route add default via 10.9.1.1 dev wlan4 table 1
  ip -n phone rule add from 10.9.1.2 table 1
  ip -n phone route add default via 10.9.2.1 dev cell0 table 2
  ip -n phone rule add from 10.9.2.2 table 2
  ip mptcp limits set subflow 4 add_addr_accepted 4
  ip -n phone mptcp limits set subflow 4 add_addr_accepted 4
  ip -n phone mptcp endpoint add 10.9.1.2 dev wlan4 id 1 subflow
  ip -n phone mptcp endpoint add 10.9.2.2 dev cell0 id 2 subflow
  wait_for is_associated phone wlan4
}

# A download of the phone that goes on; node speaks MPTCP by a library that is loaded first.
download() {
  wrapper=$(ls /lib/*/libmptcpwrap.so.0)
  LD_PRELOAD=$wrapper node /mnt/download.mjs serve > "$log/serve.log" 2>&1 < /dev/null &
  echo $! > "$state/download.pids"
  wait_for is_listening
  ip netns exec phone env LD_PRELOAD="$wrapper" node /mnt/download.mjs fetch 10.9.1.1 "$log/pauses" > "$log/fetch.log" 2>&1 < /dev/null &
  echo $! >> "$state/download.pids"
  wait_for has_two_subflows
}
# Nothing of it takes time from what follows.
end_phone() {
  kill $(cat "$state/download.pids" "$state/phone/supervisor.pid")
  kill $(cat "$state/phone/agent.pid")
}
is_listening() { ss -Hltn 'sport = 5555' | grep -q 5555; }
has_two_subflows() { [ "$(ss -Htn state established 'sport = 5555' | wc -l)" -ge 2 ]; }

# The agent in shell, as busybox runs it.
start_shell_agent() { # machine
  mkdir -p "$state/$1/shell"
  # Not by env: busybox would prefer its own ip.
  export WEFT_AGENT_STATE_DIR="$state/$1/shell"
  ip netns exec "$1" busybox sh /mnt/weft-agent.sh > "$log/shell-$1.log" 2>&1 < /dev/null &
  echo $! > "$state/$1/shell.pid"
}

# The first station goes to that access point by itself; told again for three minutes, in which it wants nothing of one that it lost.
roam() { # address interface
  if is_at "$1"; then return 0; fi
  for _ in $(seq 45); do
    wpa_cli -p /run/wpa-s1 -i wlan2 scan > /dev/null
    sleep 1
    wpa_cli -p /run/wpa-s1 -i wlan2 roam "$1" > /dev/null
    for _ in $(seq 15); do
      if is_at "$1" && has_station "$2" 02:00:00:00:02:00; then return 0; fi
      sleep 0.2
    done
  done
  echo "the station did not go to $1" >&2
  return 1
}
# What the station says: the access point that it left may not know yet.
is_at() {
  wpa_cli -p /run/wpa-s1 -i wlan2 status > $state/place
  grep -q "^bssid=$1" $state/place && grep -q ^wpa_state=COMPLETED $state/place
}

# What one of its machines runs.
on() { # name command
  ip netns exec "$@"
}

if [ $# -gt 0 ]; then "$@"; fi
