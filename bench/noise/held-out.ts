import { type EditKind, hex, inserted, phrase, pick, scatter } from './kinds.ts'

/** Kinds written after the implementation was finished; four of them led to a change. */
export const moreEdits: readonly EditKind[] = [
  inserted('likes', false, (n, seed) => `<p>♥ ${120 + seed + n * 3} likes · Share</p>`),
  inserted('cart reservations', false, (n, seed) => `<p>In ${5 + scatter(n, seed, 60)} carts with demand rising</p>`),
  inserted(
    'weather widget',
    false,
    (n, seed) =>
      `<div class="weather"><p>Harbour: ${5 + scatter(n, seed, 20)} °C, wind ${scatter(n, seed + 1, 40)} km/h</p></div>`,
    'footer',
  ),
  inserted(
    'quote of the day',
    false,
    (n, seed) => `<div class="sidebar"><h4>Quote of the day</h4><p>“The ${phrase(n, seed, 9)}.”</p></div>`,
    'end',
  ),
  inserted('"x hours left" banner', false, (n) => `<p>Free delivery: ${20 - n} hours left</p>`, 'top'),
  inserted(
    'server name',
    false,
    (n, seed) => `<p>Served by web-${1 + scatter(n, seed, 30)}.fra in 0.0${1 + scatter(n, seed, 9)} s</p>`,
    'footer',
  ),
  inserted(
    'slideshow caption',
    false,
    (n, seed) => `<section class="carousel"><p>Photo: the ${phrase(n, seed, 4)}</p></section>`,
  ),
  inserted(
    'most read, numbered',
    false,
    (n, seed) =>
      `<div><h3>Most read</h3><ol>${[1, 2, 3].map((k) => `<li>${k}. The ${phrase(n * 2 + k, seed, 5)}</li>`).join('')}</ol></div>`,
    'end',
  ),
  inserted('exchange rate', true, (n, seed) => `<p>1 EUR = 1.0${100 + scatter(n, seed, 800)} USD</p>`),
  inserted(
    'water level',
    true,
    (n, seed) =>
      `<table><tr><th>Gauge</th><th>Level</th></tr><tr><td>Old bridge</td><td>${200 + scatter(n, seed, 300)} cm</td></tr></table>`,
  ),
  inserted(
    'job opening',
    true,
    (n, seed) =>
      `<ul class="jobs">${Array.from({ length: n }, (_, k) => `<li>Engineer for the ${phrase(k, seed, 3)}, full time</li>`).join('')}</ul>`,
  ),
  inserted(
    'recall warning',
    true,
    (n) => `<div class="banner">${n > 1 ? `<p>Recall: batch ${n}00${n} may contain glass. Do not eat.</p>` : ''}</div>`,
    'top',
  ),
  inserted('person in charge', true, (n, seed) => `<p>Chair: ${phrase(n, seed, 2)}</p>`),
  inserted(
    'terms of use',
    true,
    (n) => `<p>You may cancel within ${10 + n} days after signing this contract, by letter.</p>`,
  ),
  inserted('address', true, (n, seed) => `<p>Office: ${n + 10} ${phrase(n, seed, 1)} Street, second floor</p>`),
]

/** Written after those; one of them led to a change. */
export const heldOutEdits: readonly EditKind[] = [
  inserted('server time', false, (n) => `<p>Time on this server is ${10 + n}:${11 + n * 9}:${12 + n}</p>`, 'footer'),
  inserted("today's date", false, (n) => `<p>Today is Monday, ${n + 10} November 2026</p>`, 'top'),
  inserted(
    'greeting by the time of day',
    false,
    (n) => `<p>Good ${pick(['morning', 'afternoon', 'evening'], n)}, dear reader!</p>`,
    'top',
  ),
  inserted('trending words', false, (n, seed) => `<div class="trending-topics"><p>${phrase(n, seed, 5)}</p></div>`),
  inserted('next bus', false, (n, seed) => `<p>Line 7 to Harbour: ${1 + scatter(n, seed, 19)} min</p>`),
  inserted(
    'pages served',
    false,
    (n, seed) => `<p>${10_000 + seed + n * 211} pages served since midnight</p>`,
    'footer',
  ),
  inserted(
    'downloads in a table',
    false,
    (n, seed) => `<table><tr><td>setup.zip</td><td>Downloads: ${500 + seed + n * 13}</td></tr></table>`,
  ),
  {
    name: 'JSON nonce and counter',
    isWanted: false,
    type: 'application/json',
    body: ({ title }, n) =>
      JSON.stringify({
        title,
        state: { nonce: hex(n, title.length, 16), visits: 100 + n * 3, ts: 1_789_000_000 + n * 60 },
      }),
  },
  inserted('least age', true, (n) => `<p>Minimum age: ${14 + n}</p>`),
  inserted(
    'speaker',
    true,
    (n, seed) =>
      `<ul class="programme">${Array.from({ length: n + 1 }, (_, k) => `<li>Talk by ${phrase(k, seed, 2)}</li>`).join('')}</ul>`,
  ),
  inserted('gate', true, (n) => `<p>Flight AB 123: gate B${10 + n}</p>`),
  inserted(
    'result of a vote',
    true,
    (n, seed) => `<table><tr><td>Yes</td><td>${40 + scatter(n, seed, 20)}.${n} %</td></tr></table>`,
  ),
  inserted(
    'case',
    true,
    (n) => `<p>Case 12/2026: ${pick(['filed', 'heard', 'adjourned', 'dismissed', 'appealed'], n)}</p>`,
  ),
  inserted('dose', true, (n) => `<p>Adults take ${n * 5} mg twice a day with water, never more than four times.</p>`),
  inserted('moved section', true, (n, seed) =>
    [0, 1, 2, 3, 4]
      .sort((a, b) => ((a + n) % 5) - ((b + n) % 5))
      .map((k) => `<p>Section about the ${phrase(k, seed, 14)}.</p>`)
      .join(''),
  ),
]
