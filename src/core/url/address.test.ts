import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAppError } from '../errors.ts'
import { contains, createAddressGuard, parseAddress, parseCidr } from './address.ts'

const guard = createAddressGuard({ allow: [] })
const hostOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, '')

test('refuses private, local, reserved and documentation addresses and names their range', () => {
  const refused: [string, RegExp][] = [
    ['0.0.0.0', /this network/],
    ['0.1.2.3', /this network/],
    ['10.255.255.255', /private/],
    ['100.64.0.1', /carrier/],
    ['100.100.100.200', /carrier/],
    ['127.0.0.1', /loopback/],
    ['127.255.255.254', /loopback/],
    ['168.63.129.16', /metadata/],
    ['169.254.169.254', /link-local/],
    ['172.16.0.1', /private/],
    ['172.31.255.255', /private/],
    ['192.0.0.192', /protocol/],
    ['192.0.2.1', /documentation/],
    ['192.168.1.1', /private/],
    ['198.19.255.255', /benchmarking/],
    ['198.51.100.7', /documentation/],
    ['203.0.113.9', /documentation/],
    ['224.0.0.1', /multicast/],
    ['239.255.255.250', /multicast/],
    ['240.0.0.1', /reserved/],
    ['255.255.255.255', /broadcast/],
    ['::', /unspecified/],
    ['::1', /loopback/],
    ['::127.0.0.1', /IPv4-compatible/],
    ['::8.8.8.8', /IPv4-compatible/],
    ['::ffff:127.0.0.1', /loopback/],
    ['::ffff:a9fe:a9fe', /link-local/],
    ['::ffff:0:127.0.0.1', /IPv4-translated/],
    ['64:ff9b::10.0.0.1', /private/],
    ['64:ff9b:1::8.8.8.8', /local NAT64/],
    ['2002:7f00:1::', /loopback/],
    ['2002:c0a8:101::1', /private/],
    ['2001::1', /Teredo/],
    ['2001:10::1', /protocol/],
    ['2001:db8::1', /documentation/],
    ['3fff::1', /documentation/],
    ['100::1', /discard/],
    ['fc00::1', /unique local/],
    ['fd00:ec2::254', /metadata/],
    ['fe80::1', /link-local/],
    ['febf:ffff::1', /link-local/],
    ['fec0::1', /site-local/],
    ['ff02::1', /multicast/],
    ['4000::1', /outside global unicast/],
  ]
  for (const [address, range] of refused) {
    const verdict = guard.check(address)
    assert.equal(verdict.kind, 'refused', address)
    assert.match(verdict.kind === 'refused' ? verdict.range : '', range, address)
  }
})

test('allows public addresses, including public IPv4 addresses embedded in IPv6', () => {
  const addresses = `1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.255.255
    172.15.255.255 172.32.0.0 192.167.255.255 198.17.255.255 198.20.0.0 223.255.255.255 2606:4700:4700::1111
    2a00:1450:4001::1 2001:4860:4860::8888 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1`.split(/\s+/)
  for (const address of addresses) {
    assert.deepEqual(guard.check(address), { kind: 'allowed' }, address)
  }
})

test('refuses every URL notation of a forbidden address', () => {
  const urls =
    `http://127.1/ http://0x7f.1/ http://0x7f000001/ http://2130706433/ http://0177.0.0.1/ http://0177.0x0.0.1/
    http://127.0.0.1./ http://127.0.1/ http://１２７.０.０.１/ http://①②⑦.⓪.⓪.①/ http://127。0。0。1/ http://%31%32%37.0.0.1/ http://0/
    http://0xa9fea9fe/ http://2852039166/ http://0251.0376.0251.0376/ http://[::1]/ http://[0:0:0:0:0:0:0:1]/
    http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[0:0:0:0:0:ffff:169.254.169.254]/
    http://[::127.0.0.1]/ http://[64:ff9b::127.0.0.1]/ http://[fd00:ec2::254]/ http://[::]/
    http://user:secret@127.0.0.1/ https://127.0.0.1:8443/`.split(/\s+/)
  for (const url of urls) {
    assert.equal(guard.check(hostOf(url)).kind, 'refused', url)
  }
})

test('refuses anything but a plain address: names, zones, loose notations and garbage', () => {
  for (const text of ['', 'localhost', 'fe80::1%eth0', '2606:4700::1%1', '0x7f.1', '127.1', '010.8.8.8', '1.2.3.4 ']) {
    assert.deepEqual(guard.check(text), { kind: 'refused', range: 'not a plain address' }, text)
    assert.equal(parseAddress(text), null)
  }
})

test('allows configured ranges, and IPv4 ranges include IPv4-mapped IPv6 addresses', () => {
  const opened = createAddressGuard({ allow: ['127.0.0.0/8', 'fd00:1::/32', '::ffff:10.1.0.0/112'] })
  for (const address of ['127.0.0.1', '127.9.9.9', '::ffff:127.0.0.1', 'fd00:1::5', '10.1.255.1']) {
    assert.equal(opened.check(address).kind, 'allowed', address)
  }
  for (const address of ['10.0.0.1', '::1', 'fd00:2::1', '10.2.0.0']) {
    assert.equal(opened.check(address).kind, 'refused', address)
  }
})

test('a seed allows only its own host, and only if it is an IP address or a local name', () => {
  const seeded = createAddressGuard({ allow: [] })
  for (const host of ['127.0.0.5', '[::1]', 'LocalHost', 'intranet', 'evil.example']) seeded.allowSeed(host)
  const isAllowed = (address: string, host?: string) => seeded.check(address, host).kind === 'allowed'
  assert.ok(isAllowed('127.0.0.5', '127.0.0.5'))
  assert.ok(isAllowed('::1', '::1'))
  assert.ok(isAllowed('127.0.0.1', 'localhost'))
  assert.ok(isAllowed('10.1.2.3', 'intranet.'))
  assert.ok(!isAllowed('127.0.0.1', 'evil.example'))
  assert.ok(!isAllowed('127.0.0.5', 'evil.example'))
  assert.ok(!isAllowed('127.0.0.5'))
  assert.ok(!isAllowed('10.1.2.3', 'wiki'))
  assert.ok(!isAllowed('127.0.0.4', '127.0.0.4'))
})

test('refuses IPv6 addresses that embed a private IPv4 address', () => {
  const forms = [
    ...['2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:127.0.0.1', 'fe80::5efe:8.8.8.8'],
    ...[
      '2002:a00:1::',
      '2002:7f00:1::1',
      '64:ff9b::10.0.0.1',
      '64:ff9b::a9fe:a9fe',
      '2001::1',
      '2001:0:a00:1::f5ff:fffe',
    ],
    ...['::ffff:10.0.0.1', '::ffff:0:10.0.0.1', '::10.0.0.1', '64:ff9b:1::10.0.0.1'],
  ]
  for (const address of forms) assert.equal(guard.check(address).kind, 'refused', address)
  assert.equal(guard.check('2606:4700::5efe:8.8.8.8').kind, 'allowed')
})

test('ranges end at their prefix length', () => {
  const range = parseCidr('172.16.0.0/12')
  assert.ok(contains(range, parseAddress('172.31.255.255')!))
  assert.ok(!contains(range, parseAddress('172.32.0.0')!))
  assert.ok(contains(parseCidr('0.0.0.0/0'), parseAddress('8.8.8.8')!))
  assert.ok(!contains(parseCidr('0.0.0.0/0'), parseAddress('::1')!))
  assert.equal(parseCidr('1.2.3.4').prefixBits, 32)
  assert.equal(parseCidr('::1').prefixBits, 128)
})

test('an invalid range is a usage error that quotes the given text', () => {
  for (const text of [
    '',
    ...'10.0.0.0/33 10.0.0.0/ 10.0.0.0/-1 ::/129 10.0.0/8 example.org/8 1.2.3.4/8/9'.split(' '),
  ]) {
    assert.throws(
      () => parseCidr(text),
      (error) => isAppError(error, 'usage-wrong') && error.message.includes(`"${text}"`),
      text,
    )
  }
})
