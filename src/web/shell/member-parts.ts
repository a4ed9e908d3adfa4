/** What the shell shows to people who are signed in: one file, which visitors do not load. */

export { default as HomeOverview } from '../screens/home-overview.tsx';
export { Toasts } from '../ui/toasts.tsx';
export { default as BottomBar } from './bottom-bar.tsx';
export { CartButton } from './cart-button.tsx';
export { FullCart } from './full-cart.tsx';
export { HeaderSearch } from './header-search.tsx';
export { RefusedOrder } from './refused-order.tsx';
export { default as SideNavigation } from './side-navigation.tsx';
