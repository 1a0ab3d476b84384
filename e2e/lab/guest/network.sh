#!/bin/sh
# One network of everything: the bridge of the guest, which the host (10.0.2.2) is on too.
ip link add lan type bridge
ip link set eth0 up
ip link set eth0 master lan
ip addr add 10.0.2.15/24 dev lan
ip link set lan up
ip route add default via 10.0.2.2
