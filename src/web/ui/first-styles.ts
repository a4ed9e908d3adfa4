/** Styles of what is drawn before the app: the names of the look, and its typeface. */
// From the portal itself; the browser fetches the alphabets that a page uses.
import '@fontsource-variable/inter/wght.css';
import './fonts.css';
import './tokens.css';
