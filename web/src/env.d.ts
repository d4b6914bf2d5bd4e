/** Version of the page, from package.json. */
declare const __VERSION__: string;
