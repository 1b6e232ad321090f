import { lazy, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { ButtonLink } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { EmptyState, ErrorState, LoadingState } from '../kit/states.tsx'
import { Toasts } from '../kit/toast.tsx'
import { useSession } from '../session/session.ts'
import { Boundary } from './boundary.tsx'
import { Shell } from './shell.tsx'
import { strings } from './strings.ts'

const SignIn = lazy(() => import('../session/sign-in-view.tsx'))
const SetUp = lazy(() => import('../session/set-up-view.tsx'))
const Leave = lazy(() => import('../leave/leave-view.tsx'))
const Inbox = lazy(() => import('../inbox/inbox-view.tsx'))
const Welcome = lazy(() => import('../session/welcome-view.tsx'))
const Watches = lazy(() => import('../watches/watches-view.tsx'))
const Profiles = lazy(() => import('../profiles/profiles-view.tsx'))
const ProfileEditor = lazy(() => import('../profiles/profile-editor.tsx'))
const Document = lazy(() => import('../document/document-view.tsx'))
const Search = lazy(() => import('../search/search-view.tsx'))
const Activity = lazy(() => import('../activity/activity-view.tsx'))
const Settings = lazy(() => import('../settings/settings-view.tsx'))

/** Signed out, only sign-in, first-run set-up and the page for leaving are available; signed in, everything else. */
export function App() {
  return (
    <>
      <Boundary>
        <Suspense fallback={<LoadingState />}>
          <Switch>
            <Route path="/sign-in" component={SignIn} />
            <Route path="/setup" component={SetUp} />
            <Route path="/leave" component={Leave} />
            <Route>
              <Gate />
            </Route>
          </Switch>
        </Suspense>
      </Boundary>
      <Toasts />
    </>
  )
}

function Gate() {
  const session = useSession()
  const [path] = useLocation()
  if (session.data === undefined) {
    if (session.isError) return <ErrorState query={session} />
    return <LoadingState />
  }
  if (session.data === null)
    return <Redirect to={`/sign-in?next=${encodeURIComponent(path + location.search)}`} replace />
  return (
    <Shell>
      <Boundary key={path}>
        <Suspense fallback={<LoadingState />}>
          <Views />
        </Suspense>
      </Boundary>
    </Shell>
  )
}

function Views() {
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/inbox" replace />
      </Route>
      <Route path="/inbox" component={Inbox} />
      <Route path="/welcome" component={Welcome} />
      <Route path="/watches" component={Watches} />
      <Route path="/profiles" component={Profiles} />
      <Route path="/profiles/:id" component={ProfileEditor} />
      <Route path="/documents/:id" component={Document} />
      <Route path="/search" component={Search} />
      <Route path="/activity" component={Activity} />
      <Route path="/settings/*?" component={Settings} />
      <Route component={NotFound} />
    </Switch>
  )
}

function NotFound() {
  const { title, heading, advice, toInbox } = strings.notFound
  const link = <ButtonLink label={toInbox} href="/inbox" icon="inbox" />
  return (
    <Page title={title}>
      <EmptyState icon="search" title={heading} actions={link} advice={advice} />
    </Page>
  )
}
