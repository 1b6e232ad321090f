import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Change } from '../change.ts'
import { noiseOf, tellApart } from './tell-apart.ts'

function change(before: string | undefined, after: string | undefined, more: Partial<Change> = {}): Change {
  const kind = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  const texts = { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
  return { kind, block: 'paragraph', path: '', place: '', key: '', from: 0, to: 0, ...texts, ...more }
}

function whyNot(before: string, after: string, more: Partial<Change> = {}): string | null {
  return noiseOf(change(before, after, more))
}

const noise: Record<string, [string, string][]> = {
  'relative-time': [
    ['5 minutes ago', '6 minutes ago'],
    ['Posted 5 minutes ago by Ann', 'Posted about an hour ago by Ann'],
    ['Posted 23 hours ago', 'Posted yesterday'],
    ['Ann replied just now', 'Ann replied 2m ago'],
    ['Kommentar vor 3 Stunden', 'Kommentar vor einem Tag'],
    ['Publié il y a 2 jours', 'Publié il y a 3 jours'],
    ['hace 5 minutos', 'hace 6 minutos'],
    ['Publicado há 2 horas', 'Publicado há 3 horas'],
    ['5 minuti fa', '6 minuti fa'],
    ['3 dagen geleden', '4 dagen geleden'],
    ['för 3 timmar sedan', 'för 4 timmar sedan'],
    ['5 минут назад', '6 минут назад'],
    ['3 godziny temu', '4 godziny temu'],
    ['5 dakika önce', '6 dakika önce'],
    ['5分钟前', '6分钟前'],
    ['3時間前', '4時間前'],
    ['5분 전', '6분 전'],
    ['5 phút trước', '6 phút trước'],
    ['منذ 5 دقائق', 'منذ 6 دقائق'],
    ['5 मिनट पहले', '6 मिनट पहले'],
    ['hace un momento', 'hace una hora'],
    ["un'ora fa", '2 ore fa'],
    ['3 órája', '4 órája'],
    ['3 ชั่วโมงที่แล้ว', '4 ชั่วโมงที่แล้ว'],
    ['2 days, 3 hours ago', '2 days, 4 hours ago'],
    ['Yesterday at 14:05', 'Today, 09:12'],
    ['Last seen 2 hrs ago', 'Last seen recently'],
    ['час назад', '2 часа назад'],
    ['godzinę temu', '2 godziny temu'],
    ['منذ ساعة', 'منذ ساعتين'],
    ['לפני שעה', 'לפני שעתיים'],
    ['एक घंटे पहले', '2 घंटे पहले'],
    ['방금 전', '1분 전'],
  ],
  stamp: [
    ['Last updated: 16 November 2026', 'Last updated: 17 November 2026'],
    ['Last updated on Nov 16, 2026 at 10:03 AM', 'Last updated on Nov 16, 2026 at 11:07 PM'],
    ['Last modified: Mon, 16 Nov 2026 10:00:00 GMT', 'Last modified: Mon, 16 Nov 2026 11:00:00 GMT'],
    ['Page generated 2026-11-16T10:00:00Z', 'Page generated 2026-11-16T10:05:13Z'],
    ['Current time: 12:03', 'Current time: 12:04'],
    ['Prices as of 11/16/2026 10:00 am', 'Prices as of 11/16/2026 10:05 am'],
    ['Stand: 16.11.2026, 10:15 Uhr', 'Stand: 16.11.2026, 10:45 Uhr'],
    ['Zuletzt aktualisiert am 3. März 2026', 'Zuletzt aktualisiert am 4. März 2026'],
    ['Dernière mise à jour : 16 novembre 2026 à 14h30', 'Dernière mise à jour : 17 novembre 2026 à 9h05'],
    ['Última actualización: 16 de noviembre de 2026', 'Última actualización: 17 de noviembre de 2026'],
    ['Ultimo aggiornamento: 16/11/2026', 'Ultimo aggiornamento: 17/11/2026'],
    ['Обновлено: 16 ноября 2026', 'Обновлено: 17 ноября 2026'],
    ['最終更新日：2026年11月16日', '最終更新日：2026年11月17日'],
    ['2026/11/16 更新', '2026/11/17 更新'],
    ['최종 수정일: 2026년 11월 16일', '최종 수정일: 2026년 11월 17일'],
    ['Last edited by Ann Smith on 16 November 2026', 'Last edited by Bob on 17 November 2026'],
    ['Updated 3 hours ago', 'Updated 16 Nov 2026'],
    ['अंतिम अपडेट: 16 नवंबर 2026', 'अंतिम अपडेट: 17 नवंबर 2026'],
    ['Printed on 16 November 2026', 'Printed on 17 November 2026'],
    ['Retrieved 2026-11-16 10:00', 'Retrieved 2026-11-16 11:00'],
    ['Edited 1 hr ago', 'Edited 2 hrs ago'],
    ['Deployed 2026-11-16 10:02', 'Deployed 2026-11-16 10:41'],
    ['Rendered at 10:07 on 16 Nov 2026 in 113 ms', 'Rendered at 10:14 on 16 Nov 2026 in 126 ms'],
    ['Site built on 2026-11-12 with Hugo 0.120.0', 'Site built on 2026-11-13 with Hugo 0.121.2'],
  ],
  counter: [
    ['1,234 views', '1,240 views'],
    ['1 view', '2 views'],
    ['Views: 12', 'Views: 13'],
    ['This page has had 12.345 Besuche', 'This page has had 12.346 Besuche'],
    ['3 users online', '1 user online'],
    ['There are 3 users and 12 guests online', 'There are 4 users and 1 guest online'],
    ['12 people are viewing this', '9 people are viewing this'],
    ['1 person is currently viewing this item', '3 people are currently viewing this item'],
    ['You are visitor number 12345', 'You are visitor number 12346'],
    ['Online: 31', 'Online: 28'],
    ['1.2k views • Jane', '1.3k views • Jane'],
    ['Besucher heute: 12', 'Besucher heute: 13'],
    ['1 234 vues', '1 235 vues'],
    ['123 просмотра', '124 просмотра'],
    ['조회수 1234', '조회수 1235'],
    ['1234次浏览', '1239次浏览'],
    ['阅读 1234 次', '阅读 1239 次'],
    ['阅读数 1.2万', '阅读数 1.3万'],
    ['조회수 1,234회', '조회수 1,299회'],
    ['123回再生', '150回再生'],
    ['المشاهدات: 123', 'المشاهدات: 140'],
    ['Сейчас на сайте: 12', 'Сейчас на сайте: 15'],
    ['Downloads: 12,345', 'Downloads: 12,399'],
    ['Viewed 12 times', 'Viewed 1,234 times'],
    ['This page has been accessed 12,345 times.', 'This page has been accessed 12,346 times.'],
    ['Angesehen: 12 mal', 'Angesehen: 13 mal'],
    ['Seen by 45 people', 'Seen by 47 people'],
    ['♥ 12 likes · Share', '♥ 13 likes · Share'],
    ['12 shares', '14 shares'],
    ['In 12 carts with demand rising', 'In 14 carts with demand rising'],
    ["In 20+ people's carts", "In 30+ people's carts"],
    ['12 people have this in their cart', '14 people have this in their cart'],
    ['Sold 340 today', 'Sold 351 today'],
    ['340 sold in the last 24 hours', '351 sold in the last 24 hours'],
    ['Bought 12 times in the last 24 hours', 'Bought 15 times in the last 24 hours'],
    ['12 people bought this today', '15 people bought this today'],
    ['12 watching', '14 watching'],
    ['Users browsing this forum: 3 guests', 'Users browsing this forum: 5 guests'],
    ['Hits 12345', 'Hits 12349'],
    ['Seven people are reading this article', 'Twelve people are reading this article'],
    [
      'In total there are 34 users online :: 2 registered, 0 hidden and 31 guests',
      'In total there are 41 users online :: 3 registered, 1 hidden and 37 guests',
    ],
    ['Total posts 40013 • Our newest member Ann Smith', 'Total posts 40026 • Our newest member bob_77'],
    ['Visitors since 2004: 123456', 'Visitors since 2004: 123459'],
    ['You are the 12,345th visitor', 'You are the 12,346th visitor'],
    ['1,234 visitors have seen this page', '1,239 visitors have seen this page'],
  ],
  measured: [
    ['Page generated in 0.123 s', 'Page generated in 0.2 seconds'],
    ['Page generated in 0.123 seconds with 14 queries', 'Page generated in 0.201 seconds with 16 queries'],
    ['About 1,230 results (0.45 seconds)', 'About 1,230 results (0.51 seconds)'],
    ['Load time: 0.31', 'Load time: 0.29'],
    ['Seite generiert in 12 ms', 'Seite generiert in 19 ms'],
    ['Uptime: 3 days, 4:05', 'Uptime: 3 days, 4:10'],
    ['Memory usage: 2.31 MB', 'Memory usage: 2.41 MB'],
    ['DB: 12 queries in 0.034s', 'DB: 14 queries in 0.039s'],
    ['Cache: MISS (age 71s)', 'Cache: HIT (age 142s)'],
    ['Page rendered in 0.12 s, 14 queries, 2.1 MB', 'Page rendered in 0.15 s, 17 queries, 2.3 MB'],
  ],
  id: [
    ['Request ID: 8f3a-22bc', 'Request ID: 9e1b-71aa'],
    ['Session id=ab12cd34ef', 'Session id=zz99cd34ef'],
    ['Ray ID: 7d1f3a2b4c5d6e7f', 'Ray ID: 8d1f3a2b4c5d6e7f'],
    ['csrf token: aB3/x+9qQ==', 'csrf token: Zk8/p+1wW=='],
    ['Ref f47ac10b-58cc-4372-a567-0e02b2c3d479', 'Ref 0e02b2c3-58cc-4372-a567-f47ac10bd479'],
    ['Acme (build 4512)', 'Acme (build 4513)'],
    ['Build #4512', 'Build #4513'],
    ['commit 1a2b3c4d', 'commit 9f8e7d6c'],
    ['Build abc123', 'Build def456'],
    ['v2 build 65c97f2', 'v2 build 5558148'],
    ['build 2026.11.11-301', 'build 2026.11.12-302'],
    ['Reference #18.8bfc760a.1700000001.5558148', 'Reference #18.f33a06c2.1700000002.aa3d8ba'],
    ['Your IP address is 192.0.2.1', 'Your IP address is 198.51.100.7'],
    ['Server: web-03', 'Server: web-07'],
    ['Served by web-17.fra in 0.03 s', 'Served by web-2.fra in 0.08 s'],
    ['csrfmiddlewaretoken: Aa9xQz71', 'csrfmiddlewaretoken: Bb9xQz72'],
    ['Nonce: 83hf73ks0', 'Nonce: 11hf73ks0'],
  ],
  copyright: [
    ['© 2025 Acme', '© 2026 Acme'],
    ['© 2025 Acme. All rights reserved.', '© 2025–2026 Acme. All rights reserved.'],
    ['Copyright Acme Ltd. 2003-2025', 'Copyright Acme Ltd. 2003-2026'],
    ['(c) 2025 Acme', '(c) 2026 Acme'],
    ['2025 © Acme', '2026 © Acme'],
    ['Acme 2025. All rights reserved.', 'Acme 2026. All rights reserved.'],
  ],
  'feed-date': [['lastBuildDate: Mon, 16 Nov 2026 10:00:00 GMT', 'lastBuildDate: Mon, 16 Nov 2026 10:05:00 GMT']],
  generator: [['Powered by phpBB 3.3.11', 'Powered by phpBB 3.3.12']],
  address: [
    ['See style.css?v=20261116', 'See style.css?v=20261117'],
    ['app.3f2a1b9c.js', 'app.9c2a1b3f.js'],
    ['bundle-65c97f2a.js', 'bundle-55581487.js'],
  ],
  countdown: [
    ['Sale ends in 02:13:44', 'Sale ends in 02:12:40'],
    ['2d 13h left', '2d 12h left'],
    ['还剩 3 天 4 小时', '还剩 3 天 3 小时'],
  ],
  clock: [['Mon 16 Nov 2026 12:03:45 UTC', 'Mon 16 Nov 2026 12:04:11 UTC']],
}

const news: [string, string][] = [
  ['€ 39.90', '€ 34.50'],
  ['Price: 1.299,00 €', 'Price: 1.199,00 €'],
  ['Only 3 left', 'Only 2 left'],
  ['In stock', 'Sold out'],
  ['Version 2.3.1', 'Version 2.4.0'],
  ['Release 2.3 build tools', 'Release 2.4 build tools'],
  ['Deadline: 16 November 2026', 'Deadline: 30 November 2026'],
  ['Concert on 16 November 2026 at 19:30', 'Concert on 17 November 2026 at 19:30'],
  ['16 November 2026', '17 November 2026'],
  ['Doors open 19:30', 'Doors open 20:00'],
  ['Published 16 November 2026', 'Published 17 November 2026'],
  ['Valid until 2026-11-30', 'Valid until 2026-12-31'],
  ['Effective as of 1 January 2027 fees rise', 'Effective as of 1 March 2027 fees rise'],
  ['Home 3:1 Away', 'Home 4:1 Away'],
  ['Call +49 30 1234567', 'Call +49 30 7654321'],
  ['12 people died today', '15 people died today'],
  ['Serves 4 people', 'Serves 6 people'],
  ['Up to 500 users', 'Up to 1000 users'],
  ['We build 2000 homes', 'We build 3000 homes'],
  ['Built in 1998', 'Built in 1989'],
  ['Created in 1998', 'Created in 1989'],
  ['Runtime: 142 min', 'Runtime: 121 min'],
  ['Ships in 2 days', 'Ships in 5 days'],
  ['SHA256: 9f86d081884c7d659a2feaa0c55ad015', 'SHA256: 1186d081884c7d659a2feaa0c55ad015'],
  ['The vote was 51 to 49', 'The vote was 52 to 48'],
  ['Last updated: 16 November 2026', 'Page closed'],
  ['12 views', 'Closed'],
  ['Last updated 16 Nov 2026, 12 items', 'Last updated 17 Nov 2026, 13 items'],
  ['5 minutes ago: bridge open', '6 minutes ago: bridge closed'],
  ['3 views of Mount Fuji', '4 views of Mount Fuji'],
  ['Memory: 16 GB', 'Memory: 32 GB'],
  ['3 online courses', '4 online courses'],
  ['12.345 inhabitants', '12.346 inhabitants'],
  ['Temperature 21 °C', 'Temperature 24 °C'],
  ['Flight BA123 departs 12:30', 'Flight BA123 departs 13:30'],
  ['12 comments', '13 comments'],
  ['Comments (12)', 'Comments (13)'],
  ['12 reviews', '13 reviews'],
  ['Rated 4.5 by 12 users', 'Rated 4.6 by 13 users'],
  ['340 sold', '0 sold'],
  ['Sold: house 12', 'Sold: house 14'],
  ['Read 3 books a month', 'Read 4 books a month'],
  ['Viewed from 12 metres', 'Viewed from 13 metres'],
  ['Seen 3 times champion', 'Seen 4 times champion'],
  ['Take 3 times a day', 'Take 4 times a day'],
  ['Session 12B starts at noon', 'Session 14C starts at noon'],
  ['Session 4 in room B12345', 'Session 4 in room B12399'],
  ['Build 22H2 released', 'Build 23H2 released'],
  ['Build 19045 released', 'Build 19046 released'],
  ['Windows build 10.0.19045', 'Windows build 10.0.19046'],
  ['Token price 12', 'Token price 13'],
  ['Share price 12', 'Share price 13'],
  ['12 shares of Acme', '13 shares of Acme'],
  ['3 plays by Shakespeare', '4 plays by Shakespeare'],
  ['We sold 340 tickets', 'We sold 380 tickets'],
  ['12 people have died', '14 people have died'],
  ['Guests: 12 rooms', 'Guests: 14 rooms'],
  ['Server: nginx is down', 'Server: nginx is up'],
  ['Memory: 16 GB', 'Memory: 32 GB'],
  ['Ping me at 12', 'Ping me at 13'],
  ['Now: 12 places left', 'Now: 11 places left'],
  ['Max guests: 4', 'Max guests: 6'],
  ['Players: 2 to 4', 'Players: 2 to 6'],
  ['Watching 3 films', 'Watching 4 films'],
  ['100 m in 9.58 s', '100 m in 9.63 s'],
  ['Date: 16 November 2026', 'Date: 17 November 2026'],
  ['Next meeting at 10:15', 'Next meeting at 10:30'],
  ['Followers of route 66', 'Followers of route 67'],
  ['IP: 192.0.2.1 is the new gateway', 'IP: 192.0.2.9 is the new gateway'],
  ['Gateway 10.0.0.1', 'Gateway 10.0.0.2'],
  ['Case ref: 12/2026', 'Case ref: 13/2026'],
  ['Job ID: 123456 Engineer', 'Job ID: 123459 Driver'],
  ['Members: 12', 'Members: 13'],
  ['Train to Ulm in 4 min late', 'Train to Ulm in 3 min late'],
  ['Liked by experts since 1990', 'Liked by experts since 1991'],
  ['Cart with 2 wheels', 'Cart with 4 wheels'],
  ['Reference: EN 12345', 'Reference: EN 12346'],
  ['Printed in 1998', 'Printed in 1999'],
  ['12 dead', '14 dead'],
  ['Version of 2024', 'Version of 2025'],
  ['Checked baggage: 23 kg', 'Checked baggage: 30 kg'],
  ['12 shares of Acme at the close', '13 shares of Acme at the close'],
  ['Holdings: 12 shares', 'Holdings: 15 shares'],
  ['Liked by 3 members of the jury', 'Liked by 4 members of the jury'],
  ['Time: 2:01:09', 'Time: 2:00:35'],
  ['Departure 12:15, now 12:30', 'Departure 12:15, now 12:45'],
  ['Instance: t3.large', 'Instance: t4.large'],
  ['Two people are missing', 'Three people are missing'],
  ['We build 2000000 homes', 'We build 3000000 homes'],
  ['Order reference: 12/2026', 'Order reference: 13/2026'],
  ['Our newest book: Waves', 'Our newest book: Storms'],
  ['Cache the nuts: yes', 'Cache the nuts: no'],
  ['Built in 2 s', 'Built in 3 weeks'],
  ['Finished in 12 s', 'Finished in 14 s'],
  ['Report 2025', 'Report 2026'],
  ['5m', '6m'],
  ['阅读 3 本书', '阅读 4 本书'],
  ['还剩 3 件', '还剩 2 件'],
  ['あと 3 席', 'あと 2 席'],
  ['Прошло 3 года', 'Прошло 4 года'],
]

describe('noise detection', () => {
  for (const [kind, pairs] of Object.entries(noise))
    test(`classifies ${kind} changes as noise`, () => {
      for (const [before, after] of pairs) assert.equal(whyNot(before, after), kind, `${before} → ${after}`)
    })

  test('does not classify prices, stock, versions, event dates, scores and other numbers as noise', () => {
    for (const [before, after] of news) assert.equal(whyNot(before, after), null, `${before} → ${after}`)
  })

  test('classifies added, removed and moved blocks as noise if they contain nothing else', () => {
    for (const text of [
      '5 minutes ago',
      'Last updated: 16 Nov 2026 10:00 UTC',
      '1,234 views',
      '3 users online',
      'Posted yesterday',
    ]) {
      assert.notEqual(noiseOf(change(undefined, text)), null, text)
      assert.notEqual(noiseOf(change(text, undefined)), null, text)
      assert.notEqual(noiseOf(change(text, text, { kind: 'moved' })), null, text)
    }
    for (const text of ['Closed today', 'Bridge reopened 5 minutes ago', '© 2026 Acme', 'Only 3 left', '€ 12'])
      assert.equal(noiseOf(change(undefined, text)), null, text)
  })

  test('classifies a value by its name in the path or by its element', () => {
    const value = (key: string, before: string, after: string) => whyNot(before, after, { block: 'value', key })
    assert.equal(value('$.meta.generatedAt', '2026-11-16T10:00:00Z', '2026-11-16T11:00:00Z'), 'stamp')
    assert.equal(value('$.meta.requestId', 'ab12-cd34', 'ff12-cd35'), 'id')
    assert.equal(value('$.page.views', '1234', '1235'), 'counter')
    assert.equal(value('$.state.ts', '1789000060', '1789000120'), 'stamp')
    assert.equal(value('$.event.startsAt', '2026-11-16T10:00:00Z', '2026-11-17T10:00:00Z'), null)
    assert.equal(value('$.items[3].price', '12', '13'), null)
    assert.equal(whyNot('1,234', '1,240', { place: 'main/p.view-count' }), 'counter')
    assert.equal(whyNot('1,234', '1,240', { place: 'main/p.price' }), null)
  })

  test('classifies what appears, changes or disappears in a consent banner as noise', () => {
    for (const place of [
      'div#cookie-notice/p',
      'div.cookie-banner/div/button',
      'div#onetrust-consent-sdk/div#onetrust-banner-sdk/h2',
      'div#CybotCookiebotDialog/p',
      'section.cookieConsent/p',
      'div#gdpr-banner/p',
      'div.cc-window/span',
    ]) {
      assert.equal(noiseOf(change(undefined, 'We and our 812 partners use cookies', { place })), 'consent', place)
      assert.equal(noiseOf(change('We value your privacy', undefined, { place })), 'consent', place)
      assert.equal(whyNot('812 partners', '813 partners', { place }), 'consent', place)
    }
    for (const place of [
      'main.cookie-banner/p',
      'div.cookie-policy/p',
      'div.cookie-notice/p',
      'div.cookie-recipes/p',
      'div.consent-form/p',
      'article#cookie-law/p',
      'div.barn/p',
    ])
      assert.equal(noiseOf(change(undefined, 'We use butter', { place })), null, place)
  })

  test('classifies a removed and an added block in one place as noise if they differ only in noise', () => {
    const changes = [
      change('Posted just now by Ann', undefined, { place: 'p.by' }),
      change(undefined, 'Posted 2 days, 3 hours ago by Ann', { place: 'p.by' }),
      change(undefined, 'Bridge closed', { place: 'p' }),
    ]
    const { told, noise: found } = tellApart(changes)
    assert.deepEqual(told, [changes[2]])
    assert.deepEqual(new Set(found.map(({ why }) => why)), new Set(['relative-time']))
  })

  test('finds noise at the end of long hostile texts', () => {
    for (const unit of [
      '1',
      'a',
      '1 ',
      '1:',
      'last updated ',
      '5 minutes ',
      '© 2026 ',
      'vor 3 ',
      '0a',
      '1.',
      '?v=',
      '年',
      '12 people ',
      'views: ',
    ]) {
      const long = unit.repeat(19_900 / unit.length)
      assert.equal(whyNot(`${long}. Posted 5 minutes ago`, `${long}. Posted 6 minutes ago`), 'relative-time', unit)
      assert.equal(whyNot(`${long}. Bridge open`, `${long}. Bridge closed`), null, unit)
    }
  })
})
