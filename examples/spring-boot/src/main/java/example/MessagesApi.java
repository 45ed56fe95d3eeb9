package example;

import static org.springframework.http.HttpMethod.GET;
import static org.springframework.http.HttpMethod.POST;
import static org.springframework.security.config.Customizer.withDefaults;

import java.util.Map;
import java.util.Objects;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jwt.*;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class MessagesApi {
  public static void main(String[] arguments) {
    SpringApplication.run(MessagesApi.class, arguments);
  }

  /** Spring makes the authority SCOPE_x from each scope x of a token. */
  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests ->
                requests
                    .requestMatchers(GET, "/messages").hasAuthority("SCOPE_messaging:view")
                    .requestMatchers(POST, "/messages").hasAuthority("SCOPE_messaging:manage")
                    .anyRequest().denyAll())
        .oauth2ResourceServer(server -> server.jwt(withDefaults()))
        .build();
  }

  /** Accepts at+jwt (RFC 9068). Boot's own decoder, with the profile, accepts only the type JWT. */
  @Bean
  @Profile("!access-token-type-jwt")
  JwtDecoder jwtDecoder(@Value("${ISSUER}") String issuer, @Value("${AUDIENCE}") String audience) {
    // Spring wants it said which clients may call: here, any client.
    var anyClient = new JwtClaimValidator<>("client_id", Objects::nonNull);
    var validator =
        JwtValidators.createAtJwtValidator()
            .issuer(issuer)
            .audience(audience)
            .validators(all -> all.put("client_id", anyClient))
            .build();
    // The issuer is asked at the first token, so the service starts without it.
    return new SupplierJwtDecoder(
        () -> {
          // The validator checks the type.
          var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
          decoder.setJwtValidator(validator);
          return decoder;
        });
  }

  @RequestMapping("/messages")
  Map<String, Object> messages(@AuthenticationPrincipal Jwt token) {
    return Map.of(
        "client_id", token.getClaim("client_id"),
        "service_trunk_group", token.getClaim("service_trunk_group"));
  }
}
