// ask.js
