#!/bin/sh
# weft-agent.sh: the agent for WiFi access points that have no room for Node, such as OpenWrt. It registers, reports what it
# measures and which devices are attached, takes commands by long poll, and executes those that are allowed. It needs a POSIX
# shell with awk (busybox), iw, hostapd_cli, and curl with jq, or uclient-fetch with jsonfilter. docs/agents.md explains it.
#
#   WEFT_URL=https://weft.example.org WEFT_AP_ID=roof-1 WEFT_ENROLMENT_TOKEN=... sh weft-agent.sh
#
#   WEFT_AGENT_ALLOW      set_tx_power,set_channel,steer_device,sleep,wake,reboot,settings; default: none of them
#   WEFT_AGENT_INTERVAL   seconds between reports; default: 5
#   WEFT_AGENT_STATE_DIR  password and executed commands; default: /etc/weft-agent
#   WEFT_AGENT_RUN_DIR    token and waiting reports, in memory; default: /var/run/weft-agent-NAME
#   WEFT_AGENT_CERTIFICATE  PEM file of the one certificate to trust
#   WEFT_AGENT_HOSTAPD_CONF  hostapd's configuration file, for settings; default: /etc/hostapd/hostapd.conf
#   WEFT_AGENT_SETTER     a program that applies settings in place of that file
set -u
umask 077
# Texts are bytes, in every shell and tool.
export LC_ALL=C
# A value is data: it is never part of a format, a program or a pattern, and echo would read its backslashes.
put() { printf '%s\n' "$*"; }
say() { put "weft-agent: $(printf %s "$*" | tr '\001-\037\177' ' ')" >&2; }
end() { say "$2"; exit "$1"; }
url=${WEFT_URL:-} ap_id=${WEFT_AP_ID:-}
[ -n "$url" ] || end 2 'WEFT_URL is missing: the address of Weft'
[ -n "$ap_id" ] || end 2 'WEFT_AP_ID is missing: the name of this access point'
case $url in -* | *[[:cntrl:][:space:]]*) end 2 'WEFT_URL is not an address' ;; esac
case ${WEFT_ENROLMENT_TOKEN:-} in *[!A-Za-z0-9_-]*) end 2 'WEFT_ENROLMENT_TOKEN is not a token: it has letters, digits, - and _ only' ;; esac
may='set_tx_power,set_channel,steer_device,sleep,wake,reboot,settings'
# Spaces may stand between them.
allow=,$(printf %s "${WEFT_AGENT_ALLOW:-}" | tr -s ', \n' ',,,'),
state=${WEFT_AGENT_STATE_DIR:-/etc/weft-agent}
# As it stands in addresses and forms: percent-encoded, if it is not plain. Names of files are shorter than names may be.
ap=$ap_id
case $ap_id in *[!A-Za-z0-9._-]*) ap=$(printf %s "$ap_id" | { od -An -v -tx1 2> /dev/null || hexdump -v -e '1/1 " %02x"'; } | tr -d '\n' | sed 's/ /%/g') ;; esac
run=${WEFT_AGENT_RUN_DIR:-/var/run/weft-agent-$(printf %s "$ap" | cut -c 1-200)}
max_waiting=500 # reports that are kept while Weft is away
answer_seconds=10 # how long a device may think about a request to move
max_events=500 # lines
max_answer=2048 # of Weft, in blocks of 512 bytes
max_interval=3600 # seconds
limit=90 # seconds that a request may take
setter_seconds=${WEFT_AGENT_SETTER_SECONDS:-60} # that settings may take to be applied
conf=${WEFT_AGENT_HOSTAPD_CONF:-/etc/hostapd/hostapd.conf}

# Weft knows which names there are. These would be something else in a file name, an address or a JSON text.
case $ap_id in -* | . | .. | *[/\\\"]* | *[[:cntrl:]]*) end 2 'WEFT_AP_ID is not the name of an access point' ;; esac
main=$$

has() { command -v "$1" > /dev/null; }
is_allowed() { case $allow in *,"$1",*) return 0 ;; *) return 1 ;; esac; }
is_number() { case $1 in '' | *[!0-9.]* | *.*.* | . | ???????*) return 1 ;; *) return 0 ;; esac; }
is_whole() { case $1 in '' | *[!0-9]* | ???????*) return 1 ;; *) [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] ;; esac; } # from to
hex='[0-9a-f][0-9a-f]'
# A pattern, because grep would accept any line of several.
is_address() { case $1 in $hex:$hex:$hex:$hex:$hex:$hex) return 0 ;; *) return 1 ;; esac; }
# Text of tools, made harmless inside of JSON strings.
plain() { tr -d '\042\134' | tr -c '[:alnum:][:punct:]' ' ' | cut -c 1-200; }

# In the background, so that a signal ends it.
rest() { sleep "$1" & nap=$!; wait $nap; kill $nap 2> /dev/null; return 0; }

# What another account has made, or may write to, can be a link to any file, and its owner reads the token.
own_folder() { # path, mode as a pattern, variable
  mkdir -p "$1" 2> /dev/null
  [ ! -L "${1%/}" ] && case $(ls -ldn "$1" 2> /dev/null | awk '{ print $1, $3 }') in $2\ "$(id -u)") return 0 ;; esac
  end 2 "$1 must be a folder of this account that nobody else can write to, and no link. $3 chooses another."
}

# A process, as a line: its pid alone may be another's by now, and its start another's before a power cut. Empty when it has ended.
who() { sed 's/.*) //' "/proc/$1/stat" 2> /dev/null | pid=$1 boot=$(cat /proc/sys/kernel/random/boot_id) awk '$1 !~ /[ZX]/ { print ENVIRON["pid"], $20, ENVIRON["boot"] }'; }
lives() { [ -n "$1" ] && [ "$(who "${1%% *}")" = "$1" ]; }

# A process and those below it, which would go on without it.
end_tree() { # pid
  kill -STOP "$1"
  # shellcheck disable=SC2046 # these are numbers
  kill -9 $(cat /proc/[0-9]*/stat 2> /dev/null | sed 's/^\([0-9]*\) .*) [A-Za-z] \([0-9]*\) .*/\1 \2/' | top=$1 awk '
    { parent[$1] = $2 }
    END { for (pid in parent) for (at = pid; at in parent; at = parent[at]) if (at == ENVIRON["top"]) { print pid; break } }')
} 2> /dev/null

newest() { # folder
  newest=0
  for each in "$1"/lock-*; do
    each=${each##*/lock-}
    case $each in '' | *[!0-9]* | ????????????????*) continue ;; esac
    [ "$each" -gt $newest ] && newest=$each
  done
  put $newest
}

# Two agents in one folder delete each other's files. Its owner is the first line of the lock with the highest number, and that is never
# deleted but by the owner of a higher one: so of several that find an owner gone, the one that links the next number has the folder.
# Nothing is held open, so that nothing that outlives its owner holds it. Without a place for a lock it still refuses to be the second.
take_folder() { # path, variable; sets $lock
  while :; do
    number=$(newest "$1")
    owner=$(sed 1q "$1/lock-$number" 2> /dev/null)
    lock=$1/lock-$number
    [ "$owner" = "$own" ] && return
    lives "$owner" && end 2 "another weft-agent.sh, process ${owner%% *}, uses the folder $1: stop it, or choose another folder with $2"
    number=$((number + 1))
    lock=$1/lock-$number
    if { put "$own" > "$1/lock.$$" && ln "$1/lock.$$" "$lock"; } 2> /dev/null; then
      [ "$(newest "$1")" = $number ] && break
      rm -f "$lock"
    elif [ "$(newest "$1")" -lt $number ]; then
      rm -f "$1/lock.$$"
      lock=/dev/null
      say "$1 cannot be locked: it is full, or on a file system without links. Start no second agent there."
      return
    fi
    rm -f "$1/lock.$$"
  done
  # The parts of one that was killed.
  for each in "$1"/lock-*; do
    [ "$each" != "$lock" ] || continue
    sed 1d "$each" 2> /dev/null | while read -r line; do lives "$line" && end_tree "${line%% *}"; done
    rm -f "$each"
  done
  rm -f "$1"/lock.[0-9]*
}

has curl || has uclient-fetch || end 2 'curl or uclient-fetch is missing'
has jq || has jsonfilter || end 2 'jq or jsonfilter is missing'
wrong=$(printf %s "$allow" | tr , '\n' | grep . | grep -vxE "identify|set_report_interval|$(printf %s "$may" | tr , '|')" | head -n 1)
[ -z "$wrong" ] || end 2 "WEFT_AGENT_ALLOW: unknown command $wrong: use $may"
is_whole "${WEFT_AGENT_INTERVAL:=5}" 1 $max_interval || end 2 "WEFT_AGENT_INTERVAL is 1 to $max_interval seconds"
own_folder "$state" 'd????-??-?*' WEFT_AGENT_STATE_DIR
own_folder "$run" 'drwx------*' WEFT_AGENT_RUN_DIR
own=$(who $main)
take_folder "$state" WEFT_AGENT_STATE_DIR
state_lock=$lock
take_folder "$run" WEFT_AGENT_RUN_DIR
run_lock=$lock
put "$WEFT_AGENT_INTERVAL" > "$run/interval"

# --- HTTP and JSON ---------------------------------------------------------------------------------------------------------

# request METHOD PATH [BODY FILE [MEDIA TYPE]]: the answer is in $run/answer-$part; true for 2xx. The status, where it is known, in
# $status. Passwords and tokens are in files that only this account can read, not on a command line. The files of an answer
# are in memory: one that does not end must not fill it.
request() {
  status=0
  type="Content-Type: ${4:-application/json}"
  : > "$run/answer-$part"
  if has curl; then
    status=$(ulimit -f $max_answer; curl -s -m "$limit" -X "$1" -H @"$authorization" ${3:+-H "$type" --data-binary @"$3"} \
      ${WEFT_AGENT_CERTIFICATE:+--cacert "$WEFT_AGENT_CERTIFICATE"} -D "$run/head-$part" -o "$run/answer-$part" -w '%{http_code}' "$url$2") || status=0
    case $status in 2??) set_clock; return 0 ;; *) return 1 ;; esac
  fi
  # It sends GET, or POST with data, which is all that is needed here, and says the status of a refusal in words.
  with=$(cat "$authorization")
  (ulimit -f $max_answer; uclient-fetch -T "$limit" ${with:+--header="$with"} ${3:+--header="$type" --post-file="$3"} \
    ${WEFT_AGENT_CERTIFICATE:+--ca-certificate="$WEFT_AGENT_CERTIFICATE"} -O "$run/answer-$part" "$url$2") 2> "$run/head-$part" && status=200 && return 0
  status=$(sed -n 's/.*HTTP error \([0-9]*\).*/\1/p' "$run/head-$part" | head -n 1)
  : "${status:=0}"
  return 1
}

# Many access points do not know the time after a start. What Weft says in its answers is kept as the difference to the uptime.
set_clock() {
  uptime=$(cut -d ' ' -f 1 /proc/uptime) awk 'tolower($1) == "date:" {
    month = (index("JanFebMarAprMayJunJulAugSepOctNovDec", $4) + 2) / 3
    year = month < 3 ? $5 - 1 : $5
    days = 365 * year + int(year / 4) - int(year / 100) + int(year / 400) + int((153 * ((month + 9) % 12) + 2) / 5) + $3 - 719469
    split($6, time, ":")
    printf "%.0f\n", days * 86400 + time[1] * 3600 + time[2] * 60 + time[3] - ENVIRON["uptime"]
  }' "$run/head-$part" > "$run/clock-$part" && [ -s "$run/clock-$part" ] && mv "$run/clock-$part" "$run/clock"
}

now_ms() {
  if [ -s "$run/clock" ]; then at=$(cat "$run/clock") awk '{ printf "%.0f", (ENVIRON["at"] + $1) * 1000 }' /proc/uptime; else date +%s000; fi
}

# json PATH: a value of the last answer, such as .access_token or [0].args.dbm; empty if there is none.
json() {
  if command -v jq > /dev/null; then
    jq -r ".${1#.} | select(. != null)" "$run/answer-$part" 2> /dev/null
  else
    jsonfilter -i "$run/answer-$part" -e "@$1" 2> /dev/null
  fi
}

# text PATH: such a value, to be written into lines; false if it is more than one line of text. $(...) would hide a line break at the
# end and bytes that are 0.
text() {
  json "$1" > "$run/text-$part"
  code=1
  if ! grep -qE '(^|[^\\])(\\\\)*\\u0000' "$run/answer-$part" && [ "$(tr -cd '\000-\037\177' < "$run/text-$part" | wc -c)" -le 1 ]; then cat "$run/text-$part"; code=0; fi
  rm -f "$run/text-$part"
  return $code
}

# Standard input as the inside of a JSON text: bytes that are no UTF-8, such as of a name set by hand, become U+FFFD.
json_text() {
  awk 'BEGIN { for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i }
    NR > 1 { printf "\\n" }
    { for (i = 1; i <= length($0); i += size) { size = 1; printf "%s", written(substr($0, i, 1)) } }
    function written(byte,  more, at) {
      if (byte == "\"" || byte == "\\") return "\\" byte
      if (code[byte] < 32) return sprintf("\\u%04x", code[byte])
      if (code[byte] < 128) return byte
      more = code[byte] >= 194 && code[byte] < 224 ? 1 : code[byte] >= 224 && code[byte] < 240 ? 2 : code[byte] >= 240 && code[byte] < 245 ? 3 : 0
      for (at = 1; at <= more; at++) if (code[substr($0, i + at, 1)] < 128 || code[substr($0, i + at, 1)] > 191) more = 0
      at = code[substr($0, i + 1, 1)]
      # Too long, half of a pair, or beyond Unicode.
      if (code[byte] == 224 && at < 160 || code[byte] == 237 && at > 159 || code[byte] == 240 && at < 144 || code[byte] == 244 && at > 143) more = 0
      if (!more) return "\\ufffd"
      size = 1 + more
      return substr($0, i, size)
    }'
}

# 256 bits and a sum, in the form that Weft checks without a slow hash.
password() {
  if [ ! -s "$state/password" ]; then
    secret=wfs_$(head -c 32 /dev/urandom | sha256sum | cut -c 1-64)
    secret=$secret$(printf %s "$secret" | sha256sum | cut -c 1-8)
    # This machine takes over from another one: the token is the password, and nothing is to be registered.
    case ${WEFT_ENROLMENT_TOKEN:-} in weft-replace-*) secret=$WEFT_ENROLMENT_TOKEN; : | durable "$state/enrolled" ;; esac
    # Before Weft knows it: power may go at any time, and what is not flushed may be empty then.
    printf %s "$secret" | durable "$state/password"
  fi
  cat "$state/password"
}

# Registers if it can, then logs in; false if Weft is away or refuses, with why in $reason.
log_in() {
  password > /dev/null
  reason="No enrolment token is set, and Weft does not know this name with this password."
  authorization=$run/header-$part
  if [ -n "${WEFT_ENROLMENT_TOKEN:-}" ] && [ ! -e "$state/enrolled" ]; then
    put "Authorization: Bearer $WEFT_ENROLMENT_TOKEN" > "$authorization"
    printf '{"ap_id":"%s","password":"%s","configuration":%s}' "$ap_id" "$(password)" "$(configuration)" > "$run/body-$part"
    if request POST /api/v1/agents/public "$run/body-$part"; then : | durable "$state/enrolled"; say "registered as $ap_id"
    else reason="The registration was refused: $(json .detail | plain)"; fi
  fi
  : > "$authorization"
  printf 'username=%s&password=%s' "$ap" "$(password)" > "$run/body-$part"
  request POST '/api/v1/token/?login_type=agent' "$run/body-$part" application/x-www-form-urlencoded || { authorization=$run/header; return 1; }
  token=$(text .access_token) || token=
  # Renamed: the other part may read it at any time.
  [ -n "$token" ] && put "Authorization: Bearer $token" > "$authorization" && mv "$authorization" "$run/header"
  authorization=$run/header
  reason='What answers there is not Weft.'
  [ -n "$token" ]
}

# Ends what speaks for a machine that another one has replaced. The part that takes commands leaves that to the other.
stop_replaced() {
  [ "$status $(json .code)" = '401 credentials_replaced' ] || return 0
  [ "$part" = report ] || exit 1
  stop_children
  end 1 "This machine was replaced by another one as $ap_id: stop it. If this one is to take over again, create a line with weft agent line $ap_id --replace"
}

# Until it is in. What trying again cannot change ends the agent.
first_log_in() {
  until log_in; do
    stop_replaced
    case $status in
      408 | 429 | 0 | 5??) say "cannot log in to $url (status $status). Retrying." ;;
      *) end 1 "cannot log in to $url as $ap_id (status $status). $reason Create a new install line: weft agent line $ap_id" ;;
    esac
    rest 5
  done
}

# --- Measurements ----------------------------------------------------------------------------------------------------------

# Of each interface in AP mode: name, address, channel, frequency, width, power.
radios() {
  iw dev 2> /dev/null | awk '
    # Another name would be something else inside of JSON, or an option.
    function out() { if (type == "AP" && channel != "" && name ~ /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/) print name, bssid, channel, freq, width, power }
    $1 == "Interface" { out(); name = $2; type = channel = ""; power = 0 }
    $1 == "addr" { bssid = $2 } $1 == "type" { type = $2 } $1 == "txpower" { power = $2 }
    $1 == "channel" { channel = $2; freq = substr($3, 2) + 0; width = $6 }
    END { out() }'
}

# What is missing is said once, and what would need it is left out: "asleep" would be wrong.
look_for_radios() {
  sees_radios=
  if ! has iw; then trouble='iw is missing: there are no metrics and devices of WiFi.'
  elif [ -z "$(interfaces)" ]; then trouble='iw lists no WiFi interface: there are no metrics and devices of WiFi.'
  else
    sees_radios=1
    trouble=; has hostapd_cli || trouble='hostapd_cli is missing: there are no WiFi commands, and devices are reported with the interval only.'
  fi
  [ "$trouble" = "${told_trouble:-}" ] || [ -z "$trouble" ] || say "$trouble"
  told_trouble=$trouble
}

interfaces() { iw dev 2> /dev/null | awk '$1 == "Interface" && $2 ~ /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/ { print $2 }'; }
served() { for each in $(interfaces); do hostapd_cli -i "$each" status 2> /dev/null | grep -q '^state=' && put "$each"; done; }

# An allowed command for which this machine has the tools.
offers() { is_allowed "$1" && has iw && has hostapd_cli; }

# As JSON without brackets; all stations of an interface that are let in.
devices_of() {
  iw dev "$1" station dump | awk '
    function out() { if (device != "" && authorized != "no") { printf "%s{\"device\":\"%s\"%s}", comma, device, more; comma = "," } }
    function add(key, value) { if (value + 0 != 0) more = more ",\"" key "\":" value + 0 }
    $1 == "Station" { out(); device = tolower($2); more = authorized = "" }
    $1 == "signal:" { add("rssi_dbm", $2) } $1 == "authorized:" { authorized = $2 }
    $1 == "rx" && $2 == "bitrate:" { add("rx_mbps", $3) } $1 == "tx" && $2 == "bitrate:" { add("tx_mbps", $3) }
    $1 == "connected" && $2 == "time:" { add("connected_seconds", $3) }
    END { out() }'
}

# One report as JSON, of the radios in $run/radios-now. With several radios the metrics of each have its name at their end.
sample() {
  count=$(wc -l < "$run/radios-now")
  devices=''
  metrics=''
  while read -r name _ channel _ width power; do
    here=$(devices_of "$name")
    [ -n "$here" ] && devices=$devices${devices:+,}$here
    suffix=; [ "$count" -gt 1 ] && suffix=_$name
    metrics="$metrics,\"channel$suffix\":$channel,\"channel_width_mhz$suffix\":${width:-20},\"tx_power_dbm$suffix\":${power:-0}"
  done < "$run/radios-now"
  connected=$(printf %s "$devices" | grep -o '"device"' | grep -c .)
  active=0; [ "$count" -gt 0 ] && active=1
  wifi=; [ -n "$sees_radios" ] && wifi=",\"active\":$active,\"connected_devices\":$connected$metrics,\"devices\":[$devices]"
  read -r uptime _ < /proc/uptime
  read -r load _ < /proc/loadavg
  memory=$(awk '$1 == "MemAvailable:" { printf "%.1f", $2 / 1024 }' /proc/meminfo)
  printf '{"ts":%s,"uptime_seconds":%s,"load1":%s,"memory_available_mb":%s%s%s}\n' \
    "$(now_ms)" "$uptime" "$load" "${memory:-0}" "$wifi" "$1"
}

configuration() {
  type=; [ -n "$sees_radios" ] && type='"access_point_type":"WiFi",'
  printf '{%s"report_interval_seconds":%s,"agent":"weft-agent.sh","radios":[' "$type" "$(cat "$run/interval")"
  radios | while read -r name bssid channel freq width _; do
    printf '%s{"interface":"%s","bssid":"%s","channel":%s,"frequency_mhz":%s,"width_mhz":%s}' "${comma:-}" "$name" "$bssid" "$channel" "$freq" "${width:-20}"
    comma=,
  done
  printf '],"metrics":{"uptime_seconds":{"label":"Uptime","unit":"s"},"load1":{"label":"Load"},"memory_available_mb":{"label":"Memory available","unit":"MB"}'
  [ -n "$sees_radios" ] && printf ',"active":{"label":"Active"},"connected_devices":{"label":"Connected devices"}'
  printf '},"commands":['
  printf '{"name":"identify","parameter":"identify","params":{}},'
  printf '{"name":"set_report_interval","parameter":"report_interval","params":{"seconds":{"type":"integer","minimum":1,"maximum":3600}}}'
  which=; [ "$(served | wc -l)" -gt 1 ] && which='"interface":{"type":"string"}'
  offers set_tx_power && printf ',{"name":"set_tx_power","parameter":"tx_power","params":{"dbm":{"type":"number","minimum":0,"maximum":30}%s}}' "${which:+,$which}"
  offers set_channel && printf ',{"name":"set_channel","parameter":"channel","params":{"channel":{"type":"integer","minimum":1,"maximum":196}%s}}' "${which:+,$which}"
  for each in sleep wake; do offers $each && printf ',{"name":"%s","parameter":"power_state","params":{%s}}' $each "$which"; done
  is_allowed reboot && printf ',{"name":"reboot","parameter":"reboot","params":{}}'
  offers steer_device && printf ',{"name":"steer_device","parameter":"steering","params":{"device":{"type":"string"},"target":{"type":"string"},"timeout_seconds":{"type":"integer","minimum":1,"maximum":300,"optional":true},"force":{"type":"boolean","optional":true}}}'
  printf ']'
  declared=$(is_allowed settings && now_set | declare_settings)
  printf '%s}' "${declared:+,\"settings\":{$declared\}}"
}

# Reports wait in a file of lines until Weft has stored them; the oldest are lost when there are too many.
report() {
  look_for_radios
  radios > "$run/radios-now"
  follow_new
  # Where they are and how often this is said is part of the configuration.
  key=$(cut -d ' ' -f 1-5 "$run/radios-now"; cat "$run/interval"; put "$trouble")
  news=; [ "$key" = "${told:-}" ] || news=",\"configuration\":$(configuration)"
  sample "$news" >> "$run/waiting"
  told=$key
  if [ "$(wc -l < "$run/waiting")" -gt $max_waiting ]; then
    tail -n $max_waiting "$run/waiting" > "$run/waiting.new" && mv "$run/waiting.new" "$run/waiting"
  fi
  while [ -s "$run/waiting" ]; do
    head -n 50 "$run/waiting" > "$run/sending"
    { printf '{"samples":['; paste -s -d , "$run/sending"; printf ']}'; } > "$run/body-$part"
    if ! request POST /api/v1/agent_update/update "$run/body-$part"; then
      # What Weft will never take must not stop the rest.
      case $status in 400 | 413 | 422) say "a report was refused: $(plain < "$run/answer-$part")" ;; *) return 1 ;; esac
    fi
    tail -n +$(($(wc -l < "$run/sending") + 1)) "$run/waiting" > "$run/waiting.new" && mv "$run/waiting.new" "$run/waiting"
  done
}

# --- Commands --------------------------------------------------------------------------------------------------------------

# The radio that is meant: the argument `interface`, or the only one.
chosen() {
  wanted=$(json '[0].args.interface')
  for each in $(served); do
    if [ -z "$wanted" ] || [ "$each" = "$wanted" ]; then put "$each"; return; fi
  done
}

fail() { printf '{"state":"failed","result":{"error":"%s"}}' "$(printf %s "$*" | plain)"; }
hostapd() { said=$(hostapd_cli -i "$@" 2>&1 | tail -n 1); [ "$said" = OK ]; }

# What `radios` says of one of them.
frequency() { radios | name=$1 awk '$1 == ENVIRON["name"] { print $4 }'; }
power_of() { radios | name=$1 awk '$1 == ENVIRON["name"] { print $6 }'; }

# Goes there with hostapd, if it is not there. $said: why it does not.
switch_channel() { # interface channel
  now=$(frequency "$1")
  # A radio stays in its band.
  if [ "${now:-0}" -lt 3000 ]; then freq=$((2407 + $2 * 5)); else freq=$((5000 + $2 * 5)); fi
  # hostapd refuses to go where it is.
  [ "$now" = "$freq" ] && return 0
  modes=ht middle=
  hostapd_cli -i "$1" status | grep -q '^ieee80211ac=1' && modes='ht vht' middle=center_freq1=$freq
  # shellcheck disable=SC2086 # these are words
  hostapd "$1" chan_switch 5 "$freq" $middle bandwidth=20 $modes || { said="hostapd rejects the channel: $said"; return 1; }
  for _ in 1 2 3 4 5; do
    sleep 1
    now=$(frequency "$1")
    [ "$now" = "$freq" ] && return 0
  done
  said="the radio is at ${now:-no} MHz"
  return 1
}

set_channel() {
  channel=$(json '[0].args.channel')
  is_whole "$channel" 1 196 || { fail 'channel must be a whole number from 1 to 196'; return; }
  if switch_channel "$1" "$channel"; then printf '{"state":"succeeded","applied":{"channel":%s}}' "$channel"; else fail "$said"; fi
}

switch_power() { said=$(iw dev "$1" set txpower fixed "$(dbm=$2 awk 'BEGIN { printf "%d", ENVIRON["dbm"] * 100 }')" 2>&1); }

set_tx_power() {
  dbm=$(json '[0].args.dbm')
  is_number "$dbm" && is_whole "${dbm%.*}" 0 30 || { fail 'dbm must be a number from 0 to 30'; return; }
  switch_power "$1" "$dbm" || { fail "$said"; return; }
  printf '{"state":"succeeded","applied":{"dbm":%s}}' "$(power_of "$1")"
}

set_power() { # interface disable|enable STATE word
  hostapd_cli -i "$1" status | grep -q "^state=$3" || hostapd "$1" "$2" || { fail "hostapd rejects: $said"; return; }
  printf '{"state":"succeeded","result":{"power_state":"%s"}}' "$4"
}

answered() { printf '{"state":"%s","result":{"answer":"%s"%s}}' "$1" "$2" "${3:+,\"status_code\":$3}"; }

# By a BSS transition management request (802.11v). What the device answers is an event of hostapd.
steer_device() {
  device=$(json '[0].args.device' | tr A-F a-f)
  is_address "$device" || { fail 'device must be a hardware address'; return; }
  set --
  for index in 0 1 2 3 4 5 6 7; do
    radio="[0].args.target_radios[$index]"
    bssid=$(json "$radio.bssid") channel=$(json "$radio.channel") class=$(json "$radio.op_class") phy=$(json "$radio.phy_type")
    [ -n "$bssid" ] || break
    is_whole "$channel" 1 233 || { fail 'target_radios are invalid'; return; }
    if [ -z "$class" ]; then if [ "$channel" -le 14 ]; then class=81; elif [ "$channel" -le 48 ]; then class=115; else class=125; fi; fi
    if ! is_address "$bssid" || ! is_whole "$class" 0 255 || ! is_whole "${phy:-7}" 0 255; then fail 'target_radios are invalid'; return; fi
    set -- "$@" "neighbor=$bssid,0x0000,$class,$channel,${phy:-7},0301ff"
  done
  [ $# -gt 0 ] || { fail 'the radios of the target are unknown or asleep'; return; }
  if [ "$(json '[0].args.force')" = true ]; then
    seconds=$(json '[0].args.timeout_seconds')
    is_whole "${seconds:=30}" 1 300 || { fail 'timeout_seconds must be a whole number from 1 to 300'; return; }
    set -- "$@" disassoc_imminent=1 "disassoc_timer=$((seconds * 10))"
  fi
  here=
  for each in $(served); do hostapd_cli -i "$each" sta "$device" | grep -q '^flags=.*AUTHORIZED' && here=$each; done
  [ -n "$here" ] || { answered failed not_here; return; }
  before=$(wc -l < "$run/events")
  hostapd "$here" bss_tm_req "$device" "$@" pref=1 abridged=1 || { fail "hostapd rejects the request: $said"; return; }
  for _ in $(seq $answer_seconds); do
    sleep 1
    # It begins anew when it is long.
    [ "$(wc -l < "$run/events")" -lt "$before" ] && before=0
    tail -n +$((before + 1)) "$run/events" | grep -E " (BSS-TM-RESP|AP-STA-DISCONNECTED) $device" | head -n 1 > "$run/response"
    code=$(sed -n 's/.* status_code=\([0-9]*\).*/\1/p' "$run/response")
    case $code in 0) answered succeeded accepted 0; return ;; [1-9]*) answered failed refused "$code"; return ;; esac
    [ -s "$run/response" ] && { answered succeeded sent; return; }
  done
  answered failed no_answer
}

# What became of the first command of the last answer, as JSON.
execute() {
  name=$(json '[0].name')
  case $name in
    identify) printf '{"state":"succeeded","result":{"hostname":"%s","agent":"weft-agent.sh"}}' "$(plain < /proc/sys/kernel/hostname | tr -d ' ')"; return ;;
    set_report_interval)
      seconds=$(json '[0].args.seconds')
      is_whole "$seconds" 1 $max_interval || { fail "seconds must be a whole number from 1 to $max_interval"; return; }
      put "$seconds" > "$run/interval"
      kill -USR1 $main
      printf '{"state":"succeeded"}'
      return ;;
  esac
  is_allowed "$name" || { fail "$name is not allowed here"; return; }
  radio=$(chosen)
  case $name in
    steer_device) steer_device; return ;;
    # After the answer.
    reboot) (sleep 3; reboot) > /dev/null 2>&1 & printf '{"state":"succeeded"}'; return ;;
  esac
  [ -n "$radio" ] || { fail 'there is no such radio'; return; }
  case $name in
    set_tx_power) set_tx_power "$radio" ;;
    set_channel) set_channel "$radio" ;;
    sleep) set_power "$radio" disable DISABLED asleep ;;
    wake) set_power "$radio" enable ENABLED on ;;
    *) fail "there is no command $name" ;;
  esac
}

# A command is executed once: what became of it is on disk before it is told, and is told again when it comes again.
take_commands() {
  request GET "/api/v1/agents/$ap/commands?wait=25" || return 1
  id=$(json '[0].command_id' | tr -cd A-Za-z0-9-)
  [ -n "$id" ] || return 0
  outcome=$(sed -n "s/^$id //p" "$state/commands" 2> /dev/null | tail -n 1)
  if [ -z "$outcome" ]; then
    # What a command sets is told after the command.
    : > "$run/busy"
    put "$id {\"state\":\"failed\",\"result\":{\"error\":\"the agent was stopped before it was done\"}}" >> "$state/commands"
    flush "$state/commands"
    outcome=$(execute)
    { tail -n 199 "$state/commands"; put "$id $outcome"; } | durable "$state/commands"
  fi
  printf %s "$outcome" > "$run/body-$part"
  request POST "/api/v1/agents/$ap/commands/$id" "$run/body-$part" || [ "$status" = 409 ] || return 1
  rm -f "$run/busy"
}

# --- Settings --------------------------------------------------------------------------------------------------------------

# What it shall be, in files of lines NAME=VALUE: channel, tx_power_dbm, country, ssid, passphrase. The journal exists from before
# anything is touched until the settings are confirmed or gone: id, hash, secret and security as they were given, `new` and `old` lines.
journal=$state/settings-trial
kept=$state/settings
finish_at=0 finish_pause=1

value() { sed -n "s/^$1=//p" "$2" 2> /dev/null | tail -n 1; } # name file
noted() { sed -n "s/^$1 //p" "$2" 2> /dev/null; }             # word journal
# Confirmed settings whose journal is still there are not on trial.
on_trial() { [ -e "$journal" ] && [ "$(noted id "$journal")" != "$(noted id "$kept")" ]; }
flush() { sync "$1" 2> /dev/null || sync; }
# Standard input becomes the file, whole or not at all, and durable.
durable() { cat > "$1.new" && flush "$1.new" && mv "$1.new" "$1" && flush "$(dirname "$1")"; }
uptime_seconds() { cut -d . -f 1 /proc/uptime; }

# One that hangs must not hold up the way back.
setter() { # running, or try, back or keep with a file
  if [ -n "${WEFT_AGENT_SETTER:-}" ]; then set -- "$WEFT_AGENT_SETTER" "$@"; else set -- by_hostapd "$@"; fi
  "$@" & child=$!
  # Killed in its sleep, without a trap, which a shell may see only after the sleep. What it leaves holds nobody's output.
  (
    left=$setter_seconds
    while [ "$left" -gt 0 ]; do sleep 1 > /dev/null 2>&1; left=$((left - 1)); done
    # Said first: whoever waits for the child ends this part as soon as it is gone.
    kill -0 $child 2> /dev/null && put "it took more than $setter_seconds s" >&2 && kill -9 $child 2> /dev/null
  ) &
  guard=$!
  wait $child 2> /dev/null
  code=$?
  kill $guard 2> /dev/null
  wait $guard 2> /dev/null
  return $code
}

# What it says, or that it says nothing, is in $run/said.
set_to() { # try, back or keep, and a file
  setter "$@" > "$run/said" 2>&1 && return 0
  code=$?
  grep -q '[[:graph:]]' "$run/said" || put "exit code $code without a reason" > "$run/said"
  return 1
}

why() { plain < "$run/said" | sed 's/ *$//'; }

now_set() { setter running 2> /dev/null; }

declare_settings() {
  awk -F = '{ has[$1] = 1 } END {
    if (has["channel"]) put("channel", "\"type\":\"integer\",\"minimum\":1,\"maximum\":196,\"restart\":\"radio\"")
    if (has["tx_power_dbm"]) put("tx_power_dbm", "\"type\":\"number\",\"minimum\":0,\"maximum\":30,\"parameter\":\"tx_power\"")
    if (has["country"]) put("country", "\"type\":\"string\",\"restart\":\"radio\"")
    if (has["ssid"]) put("networks", "\"type\":\"array\",\"restart\":\"radio\"")
  } function put(name, what) { printf "%s\"%s\":{%s}", comma, name, what; comma = "," }'
}

# What runs, as JSON: a secret by its name, and one that was not given by version 0.
settings_json() { # journal, or what is kept
  now_set > "$run/now"
  json_out=
  for name in channel tx_power_dbm; do
    number=$(value $name "$run/now")
    is_number "$number" && json_out="$json_out,\"$name\":$number"
  done
  country=$(value country "$run/now")
  case $country in [A-Z][A-Z]) json_out="$json_out,\"country\":\"$country\"" ;; esac
  if grep -q '^ssid=' "$run/now"; then
    json_out="$json_out,\"networks\":[{\"ssid\":\"$(value ssid "$run/now" | json_text)\""
    security=$(noted security "$1" | tr -cd a-z0-9)
    [ -n "$security" ] && json_out="$json_out,\"security\":\"$security\""
    if grep -q '^passphrase=' "$run/now"; then
      secret=$(noted secret "$1") version=0
      : "${secret:=unknown 0}"
      [ "$(noted new "$1" | sed -n 's/^passphrase=//p')" = "$(value passphrase "$run/now")" ] && version=${secret#* }
      of=$(noted of "$1")
      is_whole "$version" 0 999999 || version=0
      json_out="$json_out,\"passphrase\":{\"secret\":\"$(put "${secret% *}" | json_text)\"${of:+,\"of\":\"$(put "$of" | json_text)\"},\"version\":$version}"
    fi
    json_out="$json_out}]"
  fi
  rm -f "$run/now"
  printf '{%s}' "${json_out#,}"
}

# Weft's answer may be what it has to say next.
say_running() {
  given=$kept; on_trial && given=$journal
  hash=$(noted hash "$given") trial='' reverted=''
  on_trial && trial=",\"trial\":\"$(noted id "$journal")\""
  [ -s "$state/reverted" ] && read -r gone why < "$state/reverted" && reverted=",\"reverted\":{\"id\":\"$gone\",\"reason\":\"$why\"}"
  told_settings=$(settings_json "$given")
  printf '{"hash":%s,"settings":%s%s%s}' "$(if [ -n "$hash" ]; then put "\"$hash\""; else put null; fi)" "$told_settings" "$trial" "$reverted" > "$run/body-$part"
  request POST "/api/v1/agents/$ap/config/running" "$run/body-$part"
}

say_result() { # id, fields
  printf '{"hash":"%s",%s}' "$(noted hash "$journal")" "$2" > "$run/body-$part"
  request POST "/api/v1/agents/$ap/config/$1/result" "$run/body-$part"
}

# The lines of the settings in the last answer; false, with why in $said, if this access point cannot take them.
given_settings() {
  settings=.next.settings network=.next.settings.networks[0]
  said='settings have no control characters'
  channel=$(text "$settings.channel") && dbm=$(text "$settings.tx_power_dbm") && country=$(text "$settings.country") || return 1
  ssid=$(text "$network.ssid") && security=$(text "$network.security") && passphrase=$(text "$network.passphrase.value") || return 1
  secret=$(text "$network.passphrase.secret") && of=$(text "$network.passphrase.of") && version=$(text "$network.passphrase.version") || return 1
  said='channel must be a whole number from 1 to 196'
  [ -z "$channel" ] || is_whole "$channel" 1 196 || return 1
  said='tx_power_dbm must be a number from 0 to 30'
  [ -z "$dbm" ] || { is_number "$dbm" && is_whole "${dbm%.*}" 0 30; } || return 1
  said='a country has two capital letters'
  case $country in '' | [A-Z][A-Z]) ;; *) return 1 ;; esac
  [ -z "$(json "$settings.networks[1]")" ] || { said='this access point serves one network'; return 1; }
  [ -z "$channel" ] || put "new channel=$channel"
  [ -z "$dbm" ] || put "new tx_power_dbm=$dbm"
  [ -z "$country" ] || put "new country=$country"
  if [ -n "$(json "$network")" ]; then
    said='an ssid has 1 to 32 bytes'
    [ -n "$ssid" ] && [ ${#ssid} -le 32 ] || return 1
    put "new ssid=$ssid"
    said='security is open, wpa2 or wpa3'
    case $security in '') ;; open | wpa2 | wpa3) put "security $security" ;; *) return 1 ;; esac
    if [ -n "$passphrase" ]; then
      said='a passphrase has 8 to 63 printable ASCII characters'
      case $passphrase in *[!\ -~]*) return 1 ;; esac
      [ ${#passphrase} -ge 8 ] && [ ${#passphrase} -le 63 ] || return 1
      put "new passphrase=$passphrase"
      put "secret $secret $version"
      [ -z "$of" ] || put "of $of"
    fi
  fi
  said=
}

# What was set, read again: false, with why in $said, if the access point has other values. The steps of its power and the rules of
# its country are its own: Weft is told of them.
reads_back() { # file of lines
  now_set > "$run/now"
  while IFS= read -r line; do
    name=${line%%=*}
    case $name in tx_power_dbm | country) continue ;; esac
    grep -qxF -e "$line" "$run/now" || { said="$name was set, but the access point says that it has another value"; break; }
  done < "$1"
  rm -f "$run/now"
  [ -z "$said" ]
}

# As a file for the setter, in memory.
lines_of() { noted "$1" "$2" > "$run/lines"; put "$run/lines"; } # new|old journal

forget() { rm -f "$journal" "$run/lines"; flush "$state"; }

# Until it has worked: the journal is still there, and the next start goes on.
put_back() {
  until set_to back "$(lines_of old "$journal")"; do say "the old settings cannot be put back: $(why). Retrying."; rest 5; done
}

revert() { # why
  put_back
  put "$(noted id "$journal") $1" | durable "$state/reverted"
  forget
  say "settings were taken back: $1"
}

take_config() {
  id=$(json .next.id | tr -cd A-Za-z0-9-)
  case $id in "$(noted id "$journal")" | "$(noted id "$kept")" | "$(cut -d ' ' -f 1 "$state/reverted" 2> /dev/null)") say_running; return ;; esac
  hash=$(json .next.hash | tr -cd 0-9a-f) seconds=$(json .next.trial_seconds)
  is_whole "$seconds" 1 99999 || seconds=120
  said= is_touched=
  given_settings > "$run/given"
  # All that runs: one setting may bring others with it.
  if on_trial; then noted old "$journal"; else now_set; fi | sed 's/^/old /' > "$run/old"
  { printf 'id %s\nhash %s\n' "$id" "$hash"; cat "$run/given" "$run/old"; } | durable "$journal"
  rm -f "$run/given" "$run/old" "$state/reverted"
  began=$(uptime_seconds)
  if [ -z "$said" ]; then
    is_touched=1
    if set_to try "$(lines_of new "$journal")"; then reads_back "$run/lines"; else said=$(cat "$run/said"); fi
  fi
  if [ -n "$said" ]; then
    [ -z "$is_touched" ] || put_back
    say_result "$id" "\"state\":\"refused\",\"reason\":\"$(printf %s "$said" | plain)\""
    forget
    say_running
    return
  fi
  say_result "$id" '"state":"applied"'
  try_until $((began + seconds)) "$seconds"
}

# Until they are confirmed over a new connection, which each request has, or their time is over.
try_until() { # uptime, seconds
  is_said=
  while on_trial; do
    left=$(($1 - $(uptime_seconds)))
    [ $left -gt 0 ] || { limit=90; revert "no confirmation within $2 s"; break; }
    limit=$((left < 90 ? left : 90))
    if [ -z "$is_said" ]; then say_running && is_said=1; else request GET "/api/v1/agents/$ap/config/next?wait=$((left < 25 ? left : 25))"; fi
    case $status in 2??) hear ;; 401) log_in || rest 1 ;; *) rest 1 ;; esac
  done
  limit=90
  say_running
}

confirmed() {
  id=$(json .next.id)
  if on_trial && [ "$id" = "$(noted id "$journal")" ]; then
    sed '/^old /d' "$journal" | durable "$kept"
    finish
  elif [ "$id" = "$(noted id "$kept")" ]; then say_running; fi
}

# Makes the access point start with what was confirmed; $state/boot says that it does.
finish() {
  rm -f "$state/boot"
  set_to keep "$(lines_of new "$kept")" || { say "confirmed settings run, but they cannot be kept for the next start: $(why). Retrying."; return 1; }
  cat /proc/sys/kernel/random/boot_id > "$state/boot"
  forget
}

is_unkept() { [ -e "$kept" ] && [ ! -e "$state/boot" ] && ! on_trial; }

# What has failed above, with growing pauses.
finish_later() {
  is_unkept || { finish_at=0 finish_pause=1; return; }
  [ "$(uptime_seconds)" -ge $finish_at ] || return
  finish && return
  finish_at=$(($(uptime_seconds) + finish_pause))
  finish_pause=$((finish_pause < 30 ? finish_pause * 2 : 60))
}

# What the last answer says.
hear() {
  case $(json .next.type) in config) take_config ;; config_confirm) confirmed ;; *) return 0 ;; esac
}

take_settings() {
  finish_later
  given=$kept; on_trial && given=$journal
  if [ ! -e "$run/busy" ] && [ "$(settings_json "$given")" != "${told_settings:-}" ]; then say_running || return 1; hear; fi
  wait=25
  if is_unkept; then
    wait=$((finish_at - $(uptime_seconds)))
    [ $wait -ge 1 ] || wait=1
    [ $wait -le 25 ] || wait=25
  fi
  request GET "/api/v1/agents/$ap/config/next?wait=$wait" && hear
}

# What a start before this one has left: a trial that was interrupted has failed; a machine that was started anew has forgotten its power.
settle_settings() {
  rm -f "$state"/settings*.new "$run/busy" "$run/tried"
  if on_trial; then revert 'the access point was restarted during the trial'; return; fi
  [ -e "$kept" ] || return 0
  [ ! -e "$journal" ] && cmp -s /proc/sys/kernel/random/boot_id "$state/boot" && return 0
  # hostapd may start after this, and much later.
  began=$(uptime_seconds)
  until finish; do [ $(($(uptime_seconds) - began)) -lt 30 ] || return 0; rest 1; done
}

# hostapd has the new text of its file to read only for a moment: what it starts with changes when the settings are confirmed.
by_hostapd() {
  radio=$(value interface "$conf")
  [ -n "$radio" ] || { put "$conf is no configuration of hostapd" >&2; return 1; }
  if [ "$1" = running ]; then hostapd_runs; return; fi
  if [ -e "$conf.weft-before" ]; then mv "$conf.weft-before" "$conf"; rm -f "$conf.weft-before"; fi
  rm -f "$conf.weft-new"
  channel=$(value channel "$2") dbm=$(value tx_power_dbm "$2")
  hostapd_cli -i "$radio" status | grep -q '^state=ENABLED' || { put 'hostapd does not serve now' >&2; return 1; }
  case $channel in '') ;; *) is_whole "$channel" 1 196 && switch_channel "$radio" "$channel" || { put "$said" >&2; return 1; } ;; esac
  has_read=$conf; [ -e "$run/tried" ] && has_read=$run/tried
  edited "$2" > "$conf.weft-new" || return 1
  flush "$conf.weft-new"
  is_other=; [ "$(words "$has_read")" = "$(words "$conf.weft-new")" ] || is_other=1
  case $1 in
    try)
      if [ -n "$is_other" ]; then
        cp "$conf.weft-new" "$run/tried"
        ln "$conf" "$conf.weft-before" && mv "$conf.weft-new" "$conf" && flush "$(dirname "$conf")"
        read_again
        code=$?
        mv "$conf.weft-before" "$conf"
        flush "$(dirname "$conf")"
        [ $code = 0 ] || return 1
      fi ;;
    *)
      mv "$conf.weft-new" "$conf" && flush "$(dirname "$conf")"
      # Back: nobody knows what it has read. Kept after a restart: it has read the file of before.
      if [ "$1" = back ] || [ -n "$is_other" ] || [ ! -e "$run/tried" ]; then read_again || return 1; fi
      rm -f "$run/tried" ;;
  esac
  rm -f "$conf.weft-new"
  [ -z "$dbm" ] || [ "$dbm" = "$(power_of "$radio")" ] || switch_power "$radio" "$dbm" || { put "$said" >&2; return 1; }
}

words() { grep -E '^(ssid|wpa_passphrase|country_code)=' "$1"; }
country_now() { iw reg get | awk '$1 == "global" { here = 1 } here && $1 == "country" { print substr($2, 1, 2); exit }'; }

read_again() {
  pid=
  for each in $(pidof hostapd); do tr '\0' '\n' < "/proc/$each/cmdline" | grep -qxF -e "$conf" && pid=$each; done
  [ -n "$pid" ] && kill -HUP "$pid" || { put "no hostapd runs with $conf" >&2; return 1; }
  # It answers after it has read its file: signals come first.
  hostapd_cli -i "$radio" status > /dev/null
  country=$(value country_code "$conf")
  if [ -n "$country" ] && [ "$country" != "$(country_now)" ]; then hostapd "$radio" disable; hostapd "$radio" enable; fi
  for _ in $(seq 20); do
    hostapd_cli -i "$radio" status > "$run/status"
    grep -q '^state=ENABLED' "$run/status" && [ "$(ssid_now)" = "$(value ssid "$conf")" ] && return 0
    sleep 1
  done
  put "hostapd does not serve the network of $conf" >&2
  return 1
}

# hostapd prints bytes beyond ASCII as \xc3, and \e, \", \\ and the like.
ssid_now() {
  awk 'index($0, "ssid[0]=") == 1 {
    for (i = 9; i <= length($0); i++) {
      byte = substr($0, i, 1)
      if (byte != "\\") { printf "%s", byte; continue }
      byte = substr($0, ++i, 1)
      if (byte == "x") { printf "%c", digit(1) * 16 + digit(2); i += 2 }
      else printf "%s", byte == "e" ? "\033" : byte == "n" ? "\n" : byte == "r" ? "\r" : byte == "t" ? "\t" : byte
    }
    exit
  } function digit(after) { return index("0123456789abcdef", substr($0, i + after, 1)) - 1 }' "$run/status"
}

hostapd_runs() {
  hostapd_cli -i "$radio" status > "$run/status" && grep -q '^state=ENABLED' "$run/status" || return 1
  radios | name=$radio awk '$1 == ENVIRON["name"] { print "channel=" $3; print "tx_power_dbm=" $6 + 0 }'
  grep -q '^country_code=' "$conf" && put "country=$(country_now)"
  # Only what can be said and put back: one network, open or with a passphrase.
  has_read=$conf; [ -e "$run/tried" ] && has_read=$run/tried
  grep -qE '^(bss|wpa_psk|wpa_psk_file|sae_password|ieee8021x)=' "$conf" && return 0
  grep -qE '^wpa=[1-3]' "$conf" && ! grep -q '^wpa_passphrase=' "$conf" && return 0
  put "ssid=$(ssid_now)"
  sed -n 's/^wpa_passphrase=/passphrase=/p' "$has_read"
}

# The file of hostapd with these settings: the channel has 20 MHz, and its lines fit each other.
edited() { # settings
  grep -q '^ssid=' "$1" && if grep -q '^passphrase=' "$1"; then ! grep -q '^wpa_passphrase=' "$conf"; else grep -q '^wpa_passphrase=' "$conf"; fi && {
    put 'the security of this network cannot be changed' >&2
    return 1
  }
  awk '
    FILENAME == ARGV[1] { at = index($0, "="); set[substr($0, 1, at - 1)] = substr($0, at + 1); next }
    { at = index($0, "="); name = substr($0, 1, at - 1); key = name }
    name == "wpa_passphrase" { key = "passphrase" } name == "country_code" { key = "country" }
    name == "channel" && "channel" in set && set["channel"] != substr($0, at + 1) { narrow = 1 }
    key ~ /^(ssid|passphrase|country|channel)$/ && key in set { lines[++n] = name "=" set[key]; next }
    { lines[++n] = $0 }
    END {
      for (i = 1; i <= n; i++) {
        if (narrow && lines[i] ~ /^ht_capab=/) gsub(/\[HT40[+-]\]/, "", lines[i])
        if (narrow && lines[i] ~ /^(vht|he)_oper_chwidth=/) sub(/=.*/, "=0", lines[i])
        if (lines[i] != "ht_capab=" && !(narrow && lines[i] ~ /^(vht|he)_oper_centr_freq_seg0_idx=/)) print lines[i]
      }
    }' "$1" "$conf"
}

# --- Parts that run side by side -------------------------------------------------------------------------------------------

# Calls it again and again; after a failure it logs in and waits, longer each time.
keep_at() { # function
  pause=1
  while :; do
    if "$1"; then pause=1; continue; fi
    [ "$pause" -gt 1 ] && say "Weft cannot be reached or refuses (status $status).${refused:-} Retrying."
    refused=
    log_in || {
      stop_replaced
      [ "$status" = 401 ] && refused=' If another machine has replaced this one, stop this one.'
      rest $pause
    }
    [ $pause -lt 30 ] && pause=$((pause * 2))
  done
}

report_and_rest() {
  woken=
  report || return 1
  # A signal tells that a device has come or gone.
  [ -z "$woken" ] || return 0
  rest "$(cat "$run/interval")"
}

# Events of hostapd, each printed by echo; hostapd_cli ends when hostapd does, and is started again.
follow() { # interface
  rm -f "$run/fifo-$1"
  mkfifo "$run/fifo-$1" || return
  while :; do
    hostapd_cli -i "$1" -G 1 -a /bin/echo > "$run/fifo-$1" 2> /dev/null &
    put $! > "$run/listener-$1"
    while read -r line; do
      [ "$(wc -l < "$run/events")" -ge $max_events ] && : > "$run/events"
      put "$line" >> "$run/events"
      case $line in *" AP-STA-"* | *" AP-CSA-FINISHED"* | *" AP-ENABLED"* | *" AP-DISABLED"*) kill -USR1 $main ;; esac
    done < "$run/fifo-$1"
    sleep 2
  done
}

# Whoever takes the folders over from this agent, should it be killed, ends its parts.
has_started() { # pid
  children="$children $1"
  for each in "$state_lock" "$run_lock"; do who "$1" >> "$each"; done
}

# hostapd may start after this.
follow_new() {
  has hostapd_cli || return 0
  while read -r name _; do
    case $followed in *" $name "*) continue ;; esac
    followed="$followed$name "
    follow "$name" &
    has_started $!
  done < "$run/radios-now"
}

: > "$run/events"
: > "$run/header"
authorization=$run/header
rm -f "$run/clock"
part=report
woken=
trap 'woken=1' USR1
children=
followed=' '
# Those that listen only after those who would start them again.
stop_children() { kill $children 2> /dev/null; kill $(cat "$run"/listener-* 2> /dev/null) 2> /dev/null; }
trap 'stop_children; exit 0' TERM INT
rm -f "$run"/listener-*
is_allowed settings && settle_settings
served > "$run/radios-now"
follow_new
look_for_radios
first_log_in
say "connected to $url as $ap_id"
(part=commands; trap - USR1; keep_at take_commands) &
has_started $!
if is_allowed settings; then (part=settings; trap - USR1; keep_at take_settings) & has_started $!; fi
keep_at report_and_rest
