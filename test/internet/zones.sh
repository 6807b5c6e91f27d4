# Signs the zones, parents last, and writes the trust anchor. Usage: zones.sh SOURCES FOLDER
set -eu
sources=$1
cd "$2"

key() { ldns-keygen -a ECDSAP256SHA256 -k "$1"; }
sign() { ldns-signzone -i 20200101000000 -e 20370101000000 -o "$1" -f "$2.signed" "$2" "$3"; }

cp "$sources"/*.zone .
example=$(key example.com.)
sign example.com. example.com.zone "$example"
# unbound 1.17 does not know the name of this parameter.
sed -i 's/ dohpath=/ key7=/' example.com.zone.signed
# A key that signs nothing: com. has its DS record, so bogus.com. fails validation.
bogus=$(key bogus.com.)
cat "$example.ds" "$bogus.ds" >>com.zone
com=$(key com.)
sign com. com.zone "$com"
cat "$com.ds" >>root.zone
root=$(key .)
sign . root.zone "$root"
cp bogus.com.zone bogus.com.zone.signed
cp unsigned.com.zone unsigned.com.zone.signed
cp "$root.key" root.key
