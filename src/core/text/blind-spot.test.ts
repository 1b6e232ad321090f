import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { blindSpot } from './blind-spot.ts'
import { readBlocks } from './blocks.ts'

function kindOf(
  body: string,
  { url, contentType = 'text/html' }: { url?: string; contentType?: string } = {},
): string | null {
  const bytes = Buffer.from(body)
  return (
    blindSpot(readBlocks(bytes, { contentType: `${contentType}; charset=utf-8` })!, { body: bytes, url })?.kind ?? null
  )
}

const article = `<article><h1>How websites tell people from machines</h1>${'<p>Many sites show a captcha. Visitors verify that they are human, accept cookies, sign in and enable JavaScript before they can read what they came for.</p>'.repeat(40)}</article>`
const shop = `<h1>Kettle</h1><p>€ 39.90</p><p>In stock</p><p>Boils a litre of water in three minutes. Two years of warranty, free delivery, and thirty days to send it back if you don't like it. The lid opens with one hand, and the handle stays cool at all times.</p><h2>Reviews</h2><p>Very good kettle, would buy it again, and my neighbour bought one, too.</p><p>Nice colour, but a little loud when it boils.</p>`

describe('a page that hides its content', () => {
  test('is recognised if it needs JavaScript', () => {
    const pages = [
      '<title>App</title><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src=/main.js></script>',
      '<title>App</title><div id=app></div><script type=module src=/a.js></script>',
      '<header>Acme</header><div id="__next"><!-- --></div><script src=/a.js></script><footer>© 2026 Acme</footer>',
      '<app-root></app-root><script src=main.js></script>',
      '<p>Loading…</p><script src=a.js></script>',
      '<p>Please enable JavaScript to view this page.</p>',
      '<h1>Acme</h1><p>This site requires JavaScript.</p><script>1</script>',
      '<p>JavaScript is disabled in your browser.</p><script>1</script>',
      '<p>Bitte JavaScript aktivieren</p><script>1</script>',
      '<div style="display:none">content</div><script src=a.js></script>',
    ]
    for (const page of pages) assert.equal(kindOf(page), 'script', page)
  })

  test('is recognised if it asks for consent first', () => {
    const wall = `<h1>Before you continue to Search</h1><p>We use cookies and data to deliver and maintain our services.</p><ul>
      <li>Develop new services by measuring how ads are used, with your consent</li></ul><p>If you choose "Reject all", we will not use cookies for
      these additional purposes.</p><button>Reject all</button><button>Accept all</button><a href=#>More options</a><p>Privacy · Terms</p>`
    assert.equal(kindOf(wall), 'consent')
    const german = `<h1>Mit Werbung weiterlesen</h1><p>Wir und unsere 150 Partner verwenden Cookies. Dafür brauchen wir Ihre Zustimmung.</p>
      <button>Zustimmen und weiter</button><a>Datenschutz</a> <a>Impressum</a>`
    assert.equal(kindOf(german), 'consent')
    const plain = '<p>Accept or reject</p><button>I agree</button>'
    assert.equal(kindOf(plain, { url: 'https://consent.example.com/?continue=x' }), 'consent')
    assert.equal(kindOf(plain, { url: 'https://www.example.com/' }), null)
  })

  test('is recognised if it shows a captcha or blocks robots', () => {
    const pages = [
      '<title>Just a moment...</title><h1>shop.example</h1><noscript>Enable JavaScript and cookies to continue</noscript><script>window._cf_chl_opt={}</script>',
      '<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1><p>You are unable to access shop.example</p>',
      "<title>Robot Check</title><p>Enter the characters you see below</p><p>Sorry, we just need to make sure you're not a robot.</p>",
      '<h1>One more step</h1><p>Please complete the security check to access the site.</p><div class="g-recaptcha"></div>',
      '<p>Verify you are human by completing the action below.</p><div class="cf-turnstile"></div>',
      '<html><head><title>shop.example</title></head><body><script src="https://ct.captcha-delivery.com/c.js"></script></body></html>',
      '<p>Our systems have detected unusual traffic from your computer network.</p>',
      '<title>Access denied</title><p>Bestätigen Sie, dass Sie kein Roboter sind.</p>',
    ]
    for (const page of pages) assert.equal(kindOf(page), 'captcha', page)
  })

  test('is recognised if it asks visitors to sign in', () => {
    const pages: [string, string?][] = [
      [
        '<title>Log in</title><form><label>E-mail</label><input name=u><label>Password</label><input type="password"><button>Log in</button><a>Forgot password?</a></form>',
      ],
      [
        '<h1>Sign in to Acme</h1><form><input type=password><button>Sign in</button></form><p>© 2026 Acme · Terms · Privacy</p>',
      ],
      ['<h1>Members</h1><p>You must be logged in to view this page.</p>'],
      ['<p>Please sign in to continue.</p><a>Sign in</a>'],
      ['<h1>Acme</h1><input name=p type=password><button>Continue</button>', 'https://acme.example/login?next=/'],
      [
        '<title>Anmeldung</title><label>Benutzername</label><label>Passwort</label><input type=password><button>Anmelden</button>',
      ],
    ]
    for (const [page, url] of pages) assert.equal(kindOf(page, url === undefined ? {} : { url }), 'sign-in', page)
  })

  test('is recognised if it has no text', () => {
    for (const page of ['', '<title>x</title>', '<img src=a.png>', '<p hidden>x'])
      assert.equal(kindOf(page), 'empty', page)
    assert.equal(kindOf('', { contentType: 'text/plain' }), 'empty')
  })
})

describe('a page that shows its content', () => {
  test('may mention captchas, cookies and sign-in', () => {
    assert.equal(kindOf(article), null)
    assert.equal(kindOf(`<title>What is a captcha?</title>${article}<script>grecaptcha</script>`), null)
  })

  test('may have a login form, a cookie notice or a captcha widget', () => {
    const login = '<header><form><input name=u><input type=password><button>Log in</button></form></header>'
    assert.equal(kindOf(login + shop), null)
    assert.equal(kindOf(`${login}<title>Kettle</title>${shop}`), null)
    const notice = '<div><p>We use cookies to make this site better.</p><button>Accept all</button></div>'
    assert.equal(kindOf(shop + notice), null)
    assert.equal(kindOf(`${shop}<form>Ask us<div class=g-recaptcha></div></form>`), null)
    assert.equal(kindOf(`<noscript>Please enable JavaScript.</noscript>${shop}<script>1</script>`), null)
    assert.equal(
      kindOf(
        '<title>Contact</title><h1>Contact us</h1><p>Name</p><p>Message</p><div class=g-recaptcha></div><button>Send</button>',
      ),
      null,
    )
  })

  test('may be small', () => {
    const analytics = '<script src=https://stats.example/a.js></script>'
    for (const page of ['<p>42</p>', '<h1>All systems operational</h1>', '<p>Coming soon', '<p>€ 39.90']) {
      assert.equal(kindOf(page), null, page)
      assert.equal(kindOf(page + analytics), null, page)
    }
    const rendered = `<div id="root"><h1>Kettle</h1><p>€ 39.90</p></div>${analytics}`
    assert.equal(kindOf(rendered), null)
    assert.equal(kindOf(`<div id=app>€ 39.90</div>${analytics}`), null)
  })

  test('may be JSON, a feed or plain text', () => {
    assert.equal(kindOf('{}', { contentType: 'application/json' }), null)
    assert.equal(kindOf('<rss><channel><title>News</title></channel></rss>', { contentType: 'text/xml' }), null)
    assert.equal(kindOf('please enable JavaScript', { contentType: 'text/plain' }), null)
  })

  test('is told from one that hides it despite a megabyte of hostile markup', () => {
    const wall = '<p>Please enable JavaScript to view this page.</p>'
    for (const piece of ['<noscript', '<noscript>', '<div id=root>', '<input type=', '<script>', '<app-root ']) {
      const markup = piece.repeat(1_000_000 / piece.length)
      assert.equal(kindOf(`<script></script><p>42</p>${markup}`), null, piece)
      assert.equal(kindOf(wall + markup), 'script', piece)
    }
    for (const piece of ['please ', 'java ', 'we and our ']) {
      assert.equal(kindOf(`<title>${piece.repeat(1000)}</title><p>42</p>`), null, piece)
      assert.equal(kindOf(`<script></script><p>${piece.repeat(500 / piece.length)}</p>`), null, piece)
      assert.equal(kindOf(`${wall}<p>${piece.repeat(500 / piece.length)}</p>`), 'script', piece)
      assert.equal(kindOf(wall + piece.repeat(500_000)), null, piece)
    }
  })
})
