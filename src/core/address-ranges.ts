/**
 * The address ranges that nobody on the public internet can own, and that a crawler must therefore not be sent to by
 * a link, a redirect or a name: IANA's special-purpose registries, multicast, and the metadata services of clouds.
 */
export const refusedV4Ranges: readonly (readonly [cidr: string, name: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  // A public address by registry, but inside Azure it is the host agent with its metadata.
  ['168.63.129.16/32', 'cloud metadata'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', '6to4 relay'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
]

/** The first match names the refusal, so narrow ranges stand before the wide ones that hold them. */
export const refusedV6Ranges: readonly (readonly [cidr: string, name: string])[] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  // The operator alone knows where in this prefix the IPv4 address sits, so it cannot be judged by it.
  ['64:ff9b:1::/48', 'local NAT64'],
  ['100::/64', 'discard'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'protocol assignments'],
  ['2001:db8::/32', 'documentation'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fd00:ec2::254/128', 'cloud metadata'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
]

/** Only this part of IPv6 has been given out as global unicast; what lies outside it is refused without a name. */
export const globalUnicastV6 = '2000::/3'

/** IPv6 ranges that carry an IPv4 address: the destination is that IPv4 host, so that address is what is judged. */
export const carriersOfV4: readonly (readonly [cidr: string, offsetBytes: number])[] = [
  ['::ffff:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
]
