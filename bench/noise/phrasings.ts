import { type EditKind, hex, inserted, phrase, pick, scatter } from './kinds.ts'

/**
 * Other phrasings of the same kinds of edits, and similar kinds. Written last, to find what the other sets miss; about thirty of them led
 * to changes.
 */
type Words = readonly string[] | ((n: number) => string)
type Where = Parameters<typeof inserted>[3]

const textOf = (words: Words, n: number): string => (typeof words === 'function' ? words(n) : pick(words, n))
const noise = (name: string, words: Words, where?: Where): EditKind =>
  inserted(name, false, (n) => `<p>${textOf(words, n)}</p>`, where)
const wanted = (name: string, words: Words): EditKind => inserted(name, true, (n) => `<p>${textOf(words, n)}</p>`)
const people = ['Maria Lopez', 'John Smith', 'Aiko Tanaka', 'Pierre Dubois', 'Olga Ivanova']
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']
const some = (n: number, below: number): number => scatter(n, 11, below)

const times: readonly EditKind[] = [
  noise('edited a while ago', [
    'Edited a few seconds ago',
    'Edited 1 min ago',
    'Edited 1 hr ago',
    'Edited 2 hrs ago',
    'Edited yesterday',
  ]),
  noise('minutes as "5m"', ['Ann · 5m', 'Ann · 6m', 'Ann · 59m', 'Ann · 1h', 'Ann · 2h']),
  noise('last seen', [
    'Last seen 5 minutes ago',
    'Last seen 2 hours ago',
    'Last seen yesterday',
    'Last seen recently',
    'Last seen 3 days ago',
  ]),
  noise('wiki footer', (n) => `This page was last edited on ${n + 10} November 2026, at 1${n}:05 (UTC).`, 'footer'),
  noise('report made', (n) => `Report generated: Tue Nov ${10 + n} 08:1${n}:00 CET 2026`, 'footer'),
  noise('data as of', (n) => `Data as of 2026-11-1${n} 06:00 UTC`),
  noise('stamp in Dutch', (n) => `Laatst bijgewerkt op 1${n} november 2026 om 10:0${n}`, 'footer'),
  noise('stamp in Japanese', (n) => `最終更新：2026/11/1${n} 10:0${n}`, 'footer'),
  noise('rendered at, in', (n) => `Rendered at 10:0${n} on 16 Nov 2026 in ${100 + n * 13} ms`, 'footer'),
  noise('built with', (n) => `Site built on 2026-11-1${n} with Hugo 0.1${n}0.0`, 'footer'),
  noise('world clock', (n) => `London 10:0${n} · New York 05:0${n} · Tokyo 19:0${n}`, 'top'),
  noise('date alone', (n) => `2026-11-1${n}`, 'footer'),
  noise('date with the day', (n) => `${pick(days, n)}, ${10 + n} November 2026`, 'top'),
  noise('offer ends in', (n) => `Offer ends in ${6 - n} days ${12 - n} hours`),
  noise('days until', (n) => `${40 - n} days until Christmas`),
]

const counters: readonly EditKind[] = [
  noise('readers', (n) => `${(12_345 + n * 37).toLocaleString('en')} readers`),
  noise('views with an eye', (n) => `👁 ${1234 + n * 7}`),
  noise('visits today and in total', (n) => `Visits today: ${n * 17} | total: ${90_000 + n * 17}`, 'footer'),
  noise(
    'forum footer',
    (n) =>
      `In total there are ${20 + n * 7} users online :: ${n} registered, 0 hidden and ${19 + n * 6} guests (based on users active over the past 5 minutes)`,
    'footer',
  ),
  noise(
    'forum totals',
    (n) => `Total posts ${40_000 + n * 13} • Total members ${900 + n} • Our newest member ${pick(people, n)}`,
    'footer',
  ),
  noise('who is online', (n) => `Online now: ${pick(people, n)}, ${pick(people, n + 1)}`, 'footer'),
  noise(
    'readers in words',
    (n) => `${pick(['Five', 'Seven', 'Twelve', 'Nine', 'Eleven'], n)} people are reading this article`,
  ),
  noise('somebody bought', (n) => `${pick(people, n)} just bought this`),
  noise('bought in a month', (n) => `${n}K+ bought in past month`),
  noise('points and comments', (n) => `${1000 + n * 3} points by ann 3 hours ago | hide | ${n * 4} comments`),
  noise('stars and forks', (n) => `★ ${9000 + n * 31} stars · ${300 + n} forks`),
]

const machines: readonly EditKind[] = [
  noise('build hash', (n) => `v2 build ${hex(n, 5, 7)}`, 'footer'),
  noise('hash in brackets', (n) => `Running release (${hex(n, 5, 8)})`, 'footer'),
  noise(
    'reference of an error',
    (n) => `Reference #18.${hex(n, 5, 8)}.${1_700_000_000 + n}.${hex(n + 3, 5, 7)}`,
    'footer',
  ),
  noise('name of a node', (n) => `node-${some(n, 30)}`, 'footer'),
  noise('cache', (n) => `Cache: ${pick(['HIT', 'MISS'], some(n, 2))} (age ${n * 71}s)`, 'footer'),
  noise('debug line', (n) => `[ Time : 0.${n}23s | ${10 + n} Queries | GZIP : On ]`, 'footer'),
  noise('rights reserved', (n) => `Example Inc. 20${26 + n}. All rights reserved.`, 'footer'),
  inserted('session ids in links', false, (n) => `<p><a href="/shop?PHPSESSID=${hex(n, 5, 26)}">Shop</a></p>`),
  inserted(
    'element ids',
    false,
    (n) => `<div id="x${hex(n, 5, 6)}" class="css-${hex(n, 6, 6)}"><p>Constant words.</p></div>`,
  ),
  inserted('cache parameter of a picture', false, (n) => `<p><img src="/logo.png?v=${hex(n, 5, 9)}" alt="Logo"></p>`),
  inserted(
    'zero-width characters and normal forms',
    false,
    (n) => `<p>Caf${n % 2 === 0 ? 'é' : 'e\u0301'} ${'\u200b'.repeat(n)}de la gare</p>`,
  ),
  inserted(
    'hidden by a rule',
    false,
    (n, seed) => `<style>.x-h{display:none}</style><p class="x-h">${phrase(n, seed, 5)}</p>`,
  ),
]

const rotating: readonly EditKind[] = [
  inserted(
    'advertisement with a numbered id',
    false,
    (n, seed) => `<div id="div-gpt-ad-12345"><p>${phrase(n, seed, 6)}</p></div>`,
  ),
  inserted(
    'advertisement with a size',
    false,
    (n, seed) => `<div class="ad-banner-728x90">${phrase(n, seed, 5)}</div>`,
    'top',
  ),
  inserted(
    'sponsored products',
    false,
    (n, seed) => `<div class="sponsored"><p>${phrase(n, seed, 3)}</p><p>$${10 + scatter(n, seed, 90)}.99</p></div>`,
  ),
  inserted(
    'cookie banner',
    false,
    (n, seed) =>
      `<div id="cookie-consent"><p>We and our ${800 + scatter(n, seed, 90)} partners store and access information on a device.</p></div>`,
    'end',
  ),
  inserted(
    'weather',
    false,
    (n, seed) =>
      `<div class="weather"><p>Bern</p><p>${scatter(n, seed, 30)}°C</p><p>${pick(['Sunny', 'Cloudy', 'Light rain', 'Fog', 'Snow'], scatter(n, seed, 97))}</p></div>`,
    'end',
  ),
  noise(
    'weather in a line',
    (n) => `Bern ${some(n, 30)}° ${pick(['Sunny', 'Cloudy', 'Rain', 'Fog', 'Snow'], some(n, 97))}`,
    'top',
  ),
  inserted(
    'recent comments',
    false,
    (n, seed) =>
      `<h4>Recent comments</h4><ul>${[0, 1, 2].map((k) => `<li>${pick(people, n + k)} on ${phrase(n + k, seed, 3)}</li>`).join('')}</ul>`,
    'end',
  ),
  inserted('tip', false, (n, seed) => `<p>Tip: the ${phrase(n, seed, 7)}.</p>`),
  noise('captcha', (n) => `Type the word: ${pick(['apple', 'river', 'candle', 'orange', 'window'], n)}`),
  noise(
    'names in any order',
    (n) =>
      ['Acme', 'Bolt', 'Cargo', 'Delta', 'Echo']
        .sort((a, b) => scatter(n, a.charCodeAt(0), 97) - scatter(n, b.charCodeAt(0), 97))
        .join(' | '),
    'footer',
  ),
]

const news: readonly EditKind[] = [
  wanted('price in words', (n) => `Our kettle now costs only ${20 + n} euros including tax and delivery.`),
  wanted('price from', (n) => `from 1${n}9,- per month`),
  wanted('price in kronor', (n) => `${500 - n * 7} kr`),
  wanted('telephone number without a word', (n) => `(555) 010-12${n}4`),
  wanted('closing time', (n) => `Open daily until ${4 + n} pm`),
  wanted('departure', (n) => `Departure 14:${10 + n * 9}`),
  wanted('lecture', (n) => `Lecture at 1${n}:15 in the main hall`),
  wanted('event on a day', (n) => `The hearing will be held on January ${10 + n}, 2027.`),
  wanted(
    'deadline',
    (n) => `Submit your paper by ${pick(['Monday', 'Tuesday', 'Friday', 'next Sunday', 'the end of May'], n)}.`,
  ),
  wanted('version of two parts', (n) => `Firmware ${n}.${n + 1}`),
  wanted('year of a report', (n) => `Annual report ${2020 + n}`),
  wanted('person', (n) => `The board is chaired by ${pick(people, n)} since last spring.`),
  wanted(
    'status',
    (n) => `Application status: ${pick(['received', 'in review', 'interview', 'offer made', 'declined'], n)}`,
  ),
  wanted('flight', (n) => `LH 401 ${pick(['on time', 'delayed 20 min', 'boarding', 'departed', 'landed'], n)}`),
  wanted('street', (n) => `${n + 10} Baker Street, London`),
  wanted('limit', (n) => `Maximum upload size: ${n * 10} MB`),
  wanted('alert level', (n) => `Flood level ${n}`),
  wanted('platform', (n) => `ICE 123 platform ${n + 2}`),
  wanted('delivery time', (n) => `Delivery time: ${n + 2} days`),
  wanted('interest rate', (n) => `Interest rate: ${n}.25 %`),
  wanted(
    'negation',
    (n) => `Dogs are ${pick(['allowed', 'not allowed', 'allowed on a lead', 'welcome', 'forbidden'], n)} in the park.`,
  ),
  inserted(
    'one word in a long paragraph',
    true,
    (n, seed) =>
      `<p>${phrase(1, seed, 30)} ${pick(['approves', 'rejects', 'delays', 'ignores', 'supports'], n)} ${phrase(2, seed, 30)}.</p>`,
  ),
  inserted(
    'number in a table',
    true,
    (n, seed) =>
      `<table><tr><th>Town</th><th>Inhabitants</th></tr><tr><td>Foo</td><td>${1000 + scatter(n, seed, 900)}</td></tr></table>`,
  ),
  inserted('openings in a heading', true, (n) => `<h3>Open positions (${n + 2})</h3>`),
  inserted(
    'item replaced',
    true,
    (n, seed) => `<ul>${[0, 1, 2, 3].map((k) => `<li>${phrase(k === 2 ? n + 10 : k, seed, 4)}</li>`).join('')}</ul>`,
  ),
  inserted(
    'sentence added',
    true,
    (n, seed) => `<p>${Array.from({ length: n }, (_, k) => `The ${phrase(k, seed, 6)}.`).join(' ')}</p>`,
  ),
]

export const phrasedEdits: readonly EditKind[] = [...times, ...counters, ...machines, ...rotating, ...news]
