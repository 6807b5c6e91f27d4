# The network of a simulated internet: every address is local, no packet leaves. Runs in new user, network and mount namespaces.
# Usage: network.sh FOLDER COMMAND...: binds FOLDER's name service files over the system's, then executes COMMAND.
set -eu
folder=$1
shift

if [ -n "$(ip route)" ]; then
  echo 'network.sh: this is not a new namespace' >&2
  exit 1
fi

# Without nsswitch.conf, programs could query the machine's own resolver through its Unix socket.
for file in resolv.conf hosts nsswitch.conf; do
  if [ -e "/etc/$file" ]; then mount --bind "$folder/$file" "/etc/$file"; fi
done

ip link set lo up
ip addr add fe80::1/64 dev lo nodad
ip route add local 0.0.0.0/0 dev lo
ip -6 route add local ::/0 dev lo
echo 1 >/proc/sys/net/ipv6/ip_nonlocal_bind

# A link without a peer: packets to 45.0.0.0/8 or 2a00:45::/32 get no response.
ip link add v0 type veth peer name v1
ip link set v0 arp off up
ip link set v1 up
ip addr add 198.18.0.1/32 dev v0
ip addr add 2a00:5eeb::1/128 dev v0 nodad
# Only the table "local" is searched before the route that makes every address local.
ip route add 45.0.0.0/8 dev v0 table local src 198.18.0.1
ip -6 route add 2a00:45::/32 dev v0 table local src 2a00:5eeb::1 metric 1
ip route add unreachable 46.0.0.0/8 table local
ip -6 route add unreachable 2a00:46::/32 table local metric 1
ip route add prohibit 47.0.0.0/8 table local

exec "$@"
