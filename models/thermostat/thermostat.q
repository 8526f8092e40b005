Pr[<=50]([] temperature >= 17.99 and temperature <= 22.01) >= 0.95
Pr[<=2.2](<> Heating.on) >= 0.95
Pr[<=2.5](<> Heating.on) >= 0.95
simulate[<=20; 1]{temperature, switches}
